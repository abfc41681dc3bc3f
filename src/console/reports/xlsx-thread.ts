import { parentPort, workerData } from 'node:worker_threads'
import writeSheet, { type CellObject, type SheetData } from 'write-excel-file/node'
import type { SheetHead, SheetPiece } from './xlsx.ts'

/** Collects the rows that it is given, and answers the spreadsheet when there are no more. */
const { name, columns } = workerData as SheetHead
const HEADING = { fontWeight: 'bold', wrap: true } as const
const WIDTHS = { text: 24, money: 16, count: 10, day: 12, moment: 18 }
/** Lakhs and crores; Excel knows them only as a format of its own. */
const RUPEES = String.raw`[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`
const HALF_HOURS_AHEAD = 11
const HALF_HOUR_MS = 30 * 60_000

const sheet: SheetData = [columns.map(({ title }) => ({ value: title, ...HEADING }))]

parentPort?.on('message', (piece: SheetPiece) => {
  if (piece !== null) {
    for (const row of piece)
      sheet.push(row.map((value, index) => cellOf(value, columns[index]?.kind ?? 'text')))
    return
  }
  const options = {
    sheet: name,
    stickyRowsCount: 1,
    columns: columns.map(({ kind }) => ({ width: WIDTHS[kind] })),
  }
  void writeSheet(sheet, options)
    .toBuffer()
    .then(file => parentPort?.postMessage(file, []))
})

/** A text is said to be one: what begins like a formula stays what it is. */
function cellOf(value: string | number | Date | null, kind: keyof typeof WIDTHS): CellObject | null {
  if (value === null || value === '') return null
  switch (kind) {
    case 'text':
      return { value: String(value), type: String, format: '@' }
    case 'money':
      return { value: Number(value), type: Number, format: RUPEES }
    case 'count':
      return { value: Number(value), type: Number, format: '0' }
    case 'day':
      return { value: new Date(`${String(value)}T00:00:00Z`), type: Date, format: 'dd/mm/yyyy' }
    case 'moment':
      // A spreadsheet knows no time zones: it is given Indian time as if it were UTC.
      return {
        value: new Date((value as Date).getTime() + HALF_HOURS_AHEAD * HALF_HOUR_MS),
        type: Date,
        format: 'dd/mm/yyyy hh:mm',
      }
    default:
      return kind satisfies never
  }
}
