import { largestOf } from '../../platform/lists.ts'
import { serveProcess } from '../../platform/process-pool/serve.ts'
import writeSheet, { type CellObject, type SheetData } from 'write-excel-file/node'
import type { SheetAsk, SheetHead } from './xlsx.ts'

/** Collects the sheets that it is given, and answers the spreadsheet when there are no more. */
const HEADING = { fontWeight: 'bold', wrap: true } as const
const WIDTHS = { text: 24, money: 16, count: 10, day: 12, moment: 18 }
/** Lakhs and crores; Excel knows them only as a format of its own. */
const RUPEES = String.raw`[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`
const HALF_HOURS_AHEAD = 11
const HALF_HOUR_MS = 30 * 60_000

const sheets: { head: SheetHead; data: SheetData }[] = []

serveProcess(async (question: SheetAsk): Promise<Uint8Array | null> => {
  if (question === 'end') return makeFile()
  if (Array.isArray(question)) {
    const last = sheets.at(-1)
    for (const row of question)
      last?.data.push(row.map((value, index) => cellOf(value, last.head.columns[index]?.kind ?? 'text')))
  } else {
    const titles = question.columns.map(({ title }) => ({ value: title, ...HEADING }))
    sheets.push({ head: question, data: [titles] })
  }
  return null
})

function makeFile(): Promise<Uint8Array> {
  const made = sheets.map(({ head: { name, columns }, data }) => ({
    data,
    sheet: name,
    stickyRowsCount: 1,
    columns: columns.map(({ kind }) => ({ width: WIDTHS[kind] })),
  }))
  const lists = sheets[0]?.head.lists
  if (lists === undefined) return writeSheet(made).toBuffer()
  const longest = largestOf(lists.columns.map(({ values }) => values.length))
  const rows = Array.from({ length: longest }, (_, row) =>
    lists.columns.map(({ values }) => cellOf(values[row] ?? null, 'text')),
  )
  const titles = lists.columns.map(({ title }) => ({ value: title, ...HEADING }))
  return writeSheet([
    ...made,
    {
      data: [titles, ...rows],
      sheet: lists.name,
      columns: lists.columns.map(() => ({ width: WIDTHS.text })),
    },
  ]).toBuffer()
}

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
