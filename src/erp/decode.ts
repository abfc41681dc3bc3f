import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** Asked for: what frameworks and proxies in front of ERPs send. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

export type Decoded =
  | { kind: 'decoded'; body: Buffer }
  | { kind: 'too_large' }
  | { kind: 'broken'; message: string }

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Buffer

const DECODERS = new Map<string, Decompress>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateEither],
  ['br', brotliDecompressSync],
])

/** The body without its compression. Not a byte more than the limit is unpacked, however small the answer is. */
export function decodeBody(body: Buffer, encoding: string | string[] | undefined, maxBytes: number): Decoded {
  const name = encoding === undefined ? 'identity' : String(encoding).trim().toLowerCase()
  if (name === 'identity' || name === '' || body.length === 0) return { kind: 'decoded', body }
  const decompress = DECODERS.get(name)
  if (decompress === undefined)
    return { kind: 'broken', message: `a body in the encoding ${name}; ${ACCEPTED_ENCODINGS} are understood` }
  try {
    return { kind: 'decoded', body: decompress(body, { maxOutputLength: maxBytes }) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too_large' }
    return { kind: 'broken', message: `a body that is not whole ${name}` }
  }
}

/** Some servers send the bare stream under this name, without the header that the standard asks for. */
function inflateEither(body: Buffer, options: { maxOutputLength: number }): Buffer {
  const isWrapped = ((body[0] ?? 0) & 0x0f) === 8 && body.length > 1 && body.readUInt16BE(0) % 31 === 0
  return isWrapped ? inflateSync(body, options) : inflateRawSync(body, options)
}
