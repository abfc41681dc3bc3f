import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readXlsx } from '../../../src/imports/files/xlsx.ts'
import { workbook, zip } from './xlsx-support.ts'

/** Ten columns, four of them with texts that no other row has. */
function largeFile(rows: number): Buffer {
  const texts = Array.from({ length: rows * 4 }, (_, no) => `<si><t>A text of row ${no}</t></si>`)
  const sheet = Array.from({ length: rows }, (_, no) => {
    const cells = 'ABCDEFGHIJ'.split('').map((column, at) => {
      const [type, value] = at < 4 ? [' t="s"', no * 4 + at] : ['', no]
      return `<c r="${column}${no + 1}"${type}><v>${value}</v></c>`
    })
    return `<row r="${no + 1}">${cells.join('')}</row>`
  })
  return zip(workbook(sheet.join(''), { texts: texts.join('') }))
}

test('a hundred thousand rows are read in a few megabytes beside the file and its texts', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const file = largeFile(100_000)
  collect()
  const before = usedBytes()
  let [seen, peak, pieces] = [0, 0, 0]
  for await (const { rows } of readXlsx(file)) {
    seen += rows.length
    if (++pieces % 20 !== 0) continue
    collect()
    peak = Math.max(peak, usedBytes() - before)
  }
  assert.equal(seen, 100_000)
  assert.ok(peak < file.length + 40_000_000, `${Math.round(peak / 1e6)} MB`)
})

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
