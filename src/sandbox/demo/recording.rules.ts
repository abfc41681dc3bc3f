import { DAY_MS } from '../../platform/calendar.ts'
import { moveIds } from '../../platform/ids.ts'

/**
 * A school's rows as the product wrote them when it was built. Everything in them that tells a time is text, so that one pass over
 * it moves the whole school to another day.
 */
export type Recording = {
  /** Real time of the recording; ids and logs that run on real time are from then. */
  startedAt: Date
  endedAt: Date
  /** The last day that the school lived through. */
  day: string
  /** The address under which its messages lead to pages. */
  publicUrl: string
  /** The order is one in which foreign keys hold. */
  tables: readonly RecordedTable[]
}

export type RecordedTable = {
  name: string
  /** All but `institute_id`. */
  columns: readonly string[]
  /** A JSON object each; left as text, because a number of 64 bits does not survive being read. */
  rows: readonly string[]
}

type Header = Omit<Recording, 'startedAt' | 'endedAt' | 'tables'> & {
  startedAt: string
  endedAt: string
  tables: { name: string; columns: readonly string[]; rows: number }[]
}

/** One line that says what follows, then a line for each row. */
export function writeRecording({ tables, ...rest }: Recording): string {
  const header: Header = {
    ...rest,
    startedAt: rest.startedAt.toISOString(),
    endedAt: rest.endedAt.toISOString(),
    tables: tables.map(({ name, columns, rows }) => ({ name, columns, rows: rows.length })),
  }
  return [JSON.stringify(header), ...tables.flatMap(({ rows }) => rows), ''].join('\n')
}

/** Reads the recording as if it had been made at that moment, on that day and for that address. */
export function readRecording(text: string, to: Pick<Recording, 'endedAt' | 'day' | 'publicUrl'>): Recording {
  const end = text.indexOf('\n')
  const header = JSON.parse(text.slice(0, end)) as Header
  const [startedAt, endedAt] = [new Date(header.startedAt), new Date(header.endedAt)]
  const lines = move(text.slice(end + 1), { ...header, startedAt, endedAt }, to).split('\n')
  let read = 0
  const tables = header.tables.map(({ name, columns, rows }) => ({
    name,
    columns,
    rows: lines.slice(read, (read += rows)),
  }))
  const shiftMs = to.endedAt.getTime() - endedAt.getTime()
  return { ...to, startedAt: new Date(startedAt.getTime() + shiftMs), tables }
}

const RECEIPT_NUMBER = /\b\d{4}-\d\d\/\d{6}\b/g

/** Names receipts by the numbers that they have now. */
export function renumbered(table: RecordedTable, numbers: ReadonlyMap<string, string>): RecordedTable {
  const rows = table.rows.map(row => row.replaceAll(RECEIPT_NUMBER, number => numbers.get(number) ?? number))
  return { ...table, rows }
}

const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December'.split(
  '|',
)
const MOMENT = /\b(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d+)?(?:Z|\+00:00))?/g
const WRITTEN_DAY = new RegExp(String.raw`\b(\d{1,2}) (${MONTHS.join('|')}) (\d{4})\b`, 'g')
/** A retry after a failure is due a little after the recording ends. */
const FIRST_RETRY_MS = 10_000

function move(
  text: string,
  from: Omit<Recording, 'tables'>,
  to: Pick<Recording, 'endedAt' | 'day' | 'publicUrl'>,
): string {
  const days = Math.round((Date.parse(to.day) - Date.parse(from.day)) / DAY_MS)
  const realMs = to.endedAt.getTime() - from.endedAt.getTime()
  const [firstMs, lastMs] = [from.startedAt.getTime(), from.endedAt.getTime() + FIRST_RETRY_MS]
  const moved = new Map<string, string>()
  const laterDay = (day: string): string => {
    const known = moved.get(day)
    if (known !== undefined) return known
    const later = new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
    moved.set(day, later)
    return later
  }
  return moveIds(text.replaceAll(from.publicUrl, to.publicUrl), realMs)
    .replaceAll(MOMENT, (moment: string, day: string, time?: string, fraction = '') => {
      if (time === undefined) return laterDay(day)
      const ms = Date.parse(moment)
      // A log that runs on real time has no days of the school: it moves with the recording itself.
      if (ms >= firstMs && ms <= lastMs) return new Date(ms + realMs).toISOString()
      return `${laterDay(day)}T${time}${fraction}Z`
    })
    .replaceAll(WRITTEN_DAY, (_, day: string, month: string, year: string) => {
      const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0')
      const [newYear = '', newMonth = '', newDay = ''] = laterDay(
        `${year}-${number}-${day.padStart(2, '0')}`,
      ).split('-')
      return `${Number(newDay)} ${MONTHS[Number(newMonth) - 1]} ${newYear}`
    })
}
