import { serveProcess } from '../../platform/process-pool/serve.ts'
import { inBatches } from './batches.ts'
import { readCsv } from './csv.ts'
import { FileRefused, type FileRows } from './file-rows.ts'
import { readMt940 } from './mt940.ts'
import type { ReaderAnswer, ReaderAsk } from './read-rows.ts'
import { readXlsx } from './xlsx.ts'

/** Takes a file piece by piece, then answers its rows, some at a time; the next are read before they are asked for. */
const parts: Buffer[] = []
const READERS = {
  csv: readCsv,
  xlsx: (all: readonly Buffer[]) => readXlsx(Buffer.concat(all)),
  mt940: readMt940,
}
let rows: AsyncGenerator<FileRows> | null = null
let next: Promise<ReaderAnswer> | null = null

serveProcess(async (question: ReaderAsk): Promise<ReaderAnswer> => {
  if ('part' in question) {
    parts.push(Buffer.from(question.part))
    return { kind: 'taken' }
  }
  rows ??= inBatches(READERS[question.format](parts), question.limits)
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
