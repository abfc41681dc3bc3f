import { serveProcess } from '../../platform/process-pool/serve.ts'
import { readCsv } from './csv.ts'
import { type Cell, FileRefused, type FileRow, type FileRows } from './columns.rules.ts'
import { readMt940 } from './mt940.ts'
import type { ReaderAnswer, ReaderAsk } from './read-rows.ts'
import { readXlsx } from './xlsx.ts'
import { BATCH, type RowLimits } from '../../platform/limits.rules.ts'

/** Takes a file piece by piece, then answers its rows, some at a time; the next are read before they are asked for. */
const parts: Buffer[] = []
const READERS = {
  csv: readCsv,
  xlsx: (all: readonly Buffer[], merged?: readonly number[]) => readXlsx(Buffer.concat(all), merged),
  mt940: readMt940,
}
let rows: AsyncGenerator<FileRows> | null = null
let next: Promise<ReaderAnswer> | null = null

serveProcess(async (question: ReaderAsk): Promise<ReaderAnswer> => {
  if ('part' in question) {
    parts.push(Buffer.from(question.part))
    return { kind: 'taken' }
  }
  rows ??= inBatches(READERS[question.format](parts, question.merged), question.limits)
  const answer = await (next ?? readNext(rows))
  if (answer.kind === 'rows') {
    next = readNext(rows)
    // An error is answered when the rows are asked for.
    next.catch(() => {})
  }
  return answer
})

async function readNext(from: AsyncGenerator<FileRows>): Promise<ReaderAnswer> {
  try {
    const { value, done } = await from.next()
    return done === true ? { kind: 'done' } : { kind: 'rows', ...value }
  } catch (error) {
    if (error instanceof FileRefused) return { kind: 'refused', message: error.message }
    throw error
  }
}

/**
 * The rows in batches that are quickly taken; blank rows below the header are left out. What the file may have as a whole
 * is counted here: a short one can name a long text in every cell.
 */
export async function* inBatches(
  pieces: AsyncIterable<FileRows>,
  limits: RowLimits,
): AsyncGenerator<FileRows> {
  const total = { rows: -1, cells: 0, characters: 0 }
  let batch: FileRow[] = []
  let [cells, characters] = [0, 0]
  let reached = 0
  let others: FileRows['otherSheets']
  for await (const { rows, share, otherSheets } of pieces) {
    for (const row of rows) {
      if (total.rows >= 0 && row.cells.every(isBlank)) continue
      const rowCharacters = charactersOf(row.cells)
      total.rows++
      total.cells += row.cells.length
      total.characters += rowCharacters
      refuseBeyond(total, limits)
      batch.push(row)
      cells += row.cells.length
      characters += rowCharacters
      if (batch.length < BATCH.rows && cells < BATCH.cells && characters < BATCH.characters) continue
      yield { rows: batch, share, ...(otherSheets && { otherSheets }) }
      ;[batch, cells, characters] = [[], 0, 0]
    }
    ;[reached, others] = [share, otherSheets]
  }
  if (batch.length > 0) yield { rows: batch, share: reached, ...(others && { otherSheets: others }) }
}

function refuseBeyond(total: RowLimits, limits: RowLimits): void {
  for (const what of ['rows', 'cells', 'characters'] as const)
    if (total[what] > limits[what])
      throw new FileRefused(`The file has more than ${limits[what]} ${what}. Split it into several.`)
}

function isBlank(cell: Cell): boolean {
  return cell === null || (typeof cell === 'string' && cell.trim() === '')
}

function charactersOf(cells: readonly Cell[]): number {
  return cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0)
}
