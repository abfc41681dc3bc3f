import { parentPort, workerData } from 'node:worker_threads'
import { readSheet } from 'read-excel-file/node'
import type { SheetAnswer } from './import-xlsx.ts'
import type { Cell } from './imports.rules.ts'

/** Reads the first sheet of the spreadsheet given to this thread, and hands it over piece by piece. */
const PIECE = 500

const sheet = readSheet(Buffer.from(workerData as Uint8Array), { trim: false })
let next = 0

parentPort?.on('message', () => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void answer().then(text => parentPort?.postMessage(text))
})

async function answer(): Promise<SheetAnswer> {
  try {
    const all = await sheet
    const rows = all.slice(next, (next += PIECE)) as Cell[][]
    return { kind: 'rows', rows, share: all.length === 0 ? 1 : Math.min(1, next / all.length) }
  } catch (error) {
    return { kind: 'refused', message: describe(error) }
  }
}

function describe(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  if (code === 'XLS_FILE_NOT_SUPPORTED') return 'This is an old XLS file. Save it as XLSX, or as "CSV UTF-8".'
  const at = name === 'InvalidSpreadsheetError' ? /at row (\d+), col (\d+)/.exec(message ?? '') : null
  if (at !== null) {
    return (
      `Row ${at[1]} has a cell, number ${at[2]}, that holds no value: perhaps a formula that was never calculated. ` +
      'Open the file in a spreadsheet program and save it, or save it as "CSV UTF-8".'
    )
  }
  return 'This is not an XLSX file that can be read. Save it anew as XLSX, or as "CSV UTF-8".'
}
