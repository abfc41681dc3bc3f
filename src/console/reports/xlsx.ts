import { Worker } from 'node:worker_threads'
import type { CellKind, CellValue, Column } from './reports.rules.ts'

/**
 * A spreadsheet is made whole, in a thread of its own: it can neither hold up requests nor take more memory or time
 * than is allowed here.
 */
const MAX_HEAP_MB = 700
const MAX_MS = 120_000

/** What the thread is started with, then given: rows, and null when there are no more. */
export type SheetHead = { name: string; columns: { title: string; kind: CellKind }[] }
export type SheetPiece = CellValue[][] | null

export async function makeXlsx<Row>(
  name: string,
  columns: readonly Column<Row>[],
  batches: AsyncIterable<readonly Row[]>,
): Promise<Buffer> {
  const workerData: SheetHead = { name, columns: columns.map(({ title, kind }) => ({ title, kind })) }
  const thread = new Worker(new URL('xlsx-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  const made = Promise.withResolvers<Buffer>()
  // Reading the rows may fail before the file is awaited; that must not be an unhandled rejection.
  made.promise.catch(() => {})
  const timer = setTimeout(() => made.reject(new Error('a spreadsheet took too long to make')), MAX_MS)
  thread
    .once('message', (file: Uint8Array) => made.resolve(Buffer.from(file)))
    .once('error', made.reject)
    .once('exit', () => made.reject(new Error('the thread that makes spreadsheets ended')))
  try {
    const give = (piece: SheetPiece): void => thread.postMessage(piece, [])
    for await (const rows of batches) give(rows.map(row => columns.map(column => column.value(row))))
    give(null)
    return await made.promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
