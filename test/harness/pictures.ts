import { crc32 } from 'node:zlib'

type Head = { width: number; height: number; depth: number; type: number; interlace?: 0 | 1 }

/** A PNG with this head and these compressed rows, be they right or not. */
export function pngOf(head: Head, data: Buffer, others: readonly [string, Buffer][] = []): Buffer {
  const { width, height, depth, type, interlace = 0 } = head
  const ihdr = Buffer.alloc(13)
  ihdr.writeUInt32BE(width, 0)
  ihdr.writeUInt32BE(height, 4)
  ihdr.set([depth, type, 0, 0, interlace], 8)
  const chunks: [string, Buffer][] = [['IHDR', ihdr], ...others, ['IDAT', data], ['IEND', Buffer.alloc(0)]]
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...chunks.flatMap(([name, content]) => {
      const named = Buffer.concat([Buffer.from(name), content])
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
      length.writeUInt32BE(content.length)
      sum.writeUInt32BE(crc32(named))
      return [length, named, sum]
    }),
  ])
}
