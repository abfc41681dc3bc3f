import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { readPng, writePng } from '../../src/institutes/school/logo-picture.ts'
import { pngOf } from '../harness/pictures.ts'

const picture = fc
  .integer({ min: 1, max: 20 })
  .chain(width =>
    fc
      .integer({ min: 1, max: 20 })
      .chain(height =>
        fc
          .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
          .map(pixels => ({ width, height, pixels })),
      ),
  )

test('property: a picture that is written is read as it was', () => {
  fc.assert(
    fc.property(picture, fc.boolean(), (one, isAllSeen) => {
      if (isAllSeen) for (let at = 3; at < one.pixels.length; at += 4) one.pixels[at] = 255
      assert.deepEqual(readPng(writePng(one), 20), { ...one, pixels: Uint8Array.from(one.pixels) })
    }),
  )
})

/** Rows without a prediction, each sample packed as its depth wants it. */
function rowsOf(rows: readonly (readonly number[])[], depth: number): Buffer {
  return Buffer.concat(
    rows.map(samples => {
      const bits = samples.map(sample => sample.toString(2).padStart(depth, '0')).join('')
      return Buffer.from([
        0,
        ...(bits.match(/.{1,8}/g) ?? []).map(part => Number.parseInt(part.padEnd(8, '0'), 2)),
      ])
    }),
  )
}

function read(
  head: { depth: number; type: number },
  rows: number[][],
  others: readonly [string, Buffer][] = [],
): number[] {
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2 }[head.type] ?? 4
  const size = { width: (rows[0]?.length ?? 0) / samples, height: rows.length }
  return [...readPng(pngOf({ ...size, ...head }, deflateSync(rowsOf(rows, head.depth)), others), 9).pixels]
}

test('pictures of grey, of a palette, of sixteen bits and with one colour that is not seen are read', () => {
  assert.deepEqual(read({ depth: 1, type: 0 }, [[1, 0]]), [255, 255, 255, 255, 0, 0, 0, 255])
  assert.deepEqual(read({ depth: 8, type: 4 }, [[7, 9]]), [7, 7, 7, 9])
  assert.deepEqual(read({ depth: 16, type: 2 }, [[65_535, 0, 32_896]]), [255, 0, 128, 255])
  const palette: [string, Buffer] = ['PLTE', Buffer.from([1, 2, 3, 4, 5, 6])]
  const opacity: [string, Buffer] = ['tRNS', Buffer.from([0])]
  const two = [[1, 0, 1]]
  assert.deepEqual(
    read({ depth: 2, type: 3 }, two, [palette, opacity]),
    [4, 5, 6, 255, 1, 2, 3, 0, 4, 5, 6, 255],
  )
  assert.throws(() => read({ depth: 2, type: 3 }, [[3]], [palette]), { name: 'BrokenPicture' })
  const unseen: [string, Buffer] = ['tRNS', Buffer.from([0, 8])]
  assert.deepEqual(read({ depth: 8, type: 0 }, [[8, 9]], [unseen]), [8, 8, 8, 0, 9, 9, 9, 255])
})

test('an interlaced picture is read as the same one row by row', () => {
  const [width, height] = [11, 9]
  const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => 20 * y + x))
  const starts = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const
  const passes = starts.flatMap(([left, top, stepX, stepY]) =>
    rows
      .filter((_, y) => y >= top && (y - top) % stepY === 0)
      .map(row => row.filter((_, x) => x >= left && (x - left) % stepX === 0)),
  )
  const head = { width, height, depth: 8, type: 0 }
  const plain = pngOf(head, deflateSync(rowsOf(rows, 8)))
  const interlaced = pngOf({ ...head, interlace: 1 }, deflateSync(rowsOf(passes, 8)))
  assert.deepEqual(readPng(interlaced, 20), readPng(plain, 20))
})
