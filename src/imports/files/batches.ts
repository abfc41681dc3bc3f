import type { Cell } from './columns.rules.ts'
import type { FileRow, FileRows } from './file-rows.ts'

/** What the main thread takes at a stretch, while requests wait; a row more may exceed it. */
const MAX_ROWS = 250
const MAX_CELLS = 5_000
const MAX_CHARACTERS = 100_000

/** The rows in batches that are quickly taken; blank rows below the header are left out. */
export async function* inBatches(pieces: AsyncIterable<FileRows>): AsyncGenerator<FileRows> {
  let batch: FileRow[] = []
  let [cells, characters, isFirst] = [0, 0, true]
  let reached = 0
  for await (const { rows, share } of pieces) {
    for (const row of rows) {
      if (!isFirst && row.cells.every(isBlank)) continue
      isFirst = false
      batch.push(row)
      cells += row.cells.length
      characters += charactersOf(row.cells)
      if (batch.length < MAX_ROWS && cells < MAX_CELLS && characters < MAX_CHARACTERS) continue
      yield { rows: batch, share }
      ;[batch, cells, characters] = [[], 0, 0]
    }
    reached = share
  }
  if (batch.length > 0) yield { rows: batch, share: reached }
}

function isBlank(cell: Cell): boolean {
  return cell === null || (typeof cell === 'string' && cell.trim() === '')
}

function charactersOf(cells: readonly Cell[]): number {
  return cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0)
}
