import { Worker } from 'node:worker_threads'
import { FileRefused, type FileRows } from './import-file-rows.ts'
import { unpackedBytes } from './import-zip.ts'
import type { Cell } from './imports.rules.ts'

/**
 * A spreadsheet is read whole, in a thread of its own: it can neither hold up requests nor take more memory or time
 * than is allowed here. Who has more rows than this allows sends them as CSV, which is read in pieces.
 */
const MAX_UNPACKED_BYTES = 200_000_000
const MAX_HEAP_MB = 1_500
const MAX_MS = 120_000

/** What the thread answers to a request for the next rows; none is the end. */
export type SheetAnswer =
  | { kind: 'rows'; rows: Cell[][]; share: number }
  | { kind: 'refused'; message: string }

export async function* readXlsx(parts: AsyncIterable<Buffer>): AsyncGenerator<FileRows> {
  const file = Buffer.concat(await Array.fromAsync(parts))
  const unpacked = await unpackedBytes(file, MAX_UNPACKED_BYTES)
  if (unpacked === null) throw new FileRefused(BROKEN)
  if (unpacked > MAX_UNPACKED_BYTES) throw new FileRefused(`This spreadsheet is too large. ${SEND_CSV}`)
  const thread = new Worker(new URL('import-xlsx-thread.ts', import.meta.url), {
    workerData: file,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  try {
    let rowNo = 0
    for (;;) {
      const answer = await ask(thread)
      if (answer.kind === 'refused') throw new FileRefused(answer.message)
      if (answer.rows.length === 0) return
      yield { rows: answer.rows.map(cells => ({ rowNo: ++rowNo, cells })), share: answer.share }
    }
  } finally {
    await thread.terminate()
  }
}

const SEND_CSV = 'Save it as "CSV UTF-8" and send that.'
const BROKEN = 'This is not an XLSX file that can be read. Save it anew as XLSX, or as "CSV UTF-8".'

async function ask(thread: Worker): Promise<SheetAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SheetAnswer>()
  const onExit = (): void => resolve({ kind: 'refused', message: BROKEN })
  const onError = (error: NodeJS.ErrnoException): void => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (isTooLarge) resolve({ kind: 'refused', message: `This spreadsheet is too large. ${SEND_CSV}` })
    else reject(error)
  }
  const timer = setTimeout(
    () => resolve({ kind: 'refused', message: `This spreadsheet takes too long to read. ${SEND_CSV}` }),
    MAX_MS,
  )
  thread.once('message', resolve).once('error', onError).once('exit', onExit)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage('next')
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    thread.off('message', resolve).off('error', onError).off('exit', onExit)
  }
}
