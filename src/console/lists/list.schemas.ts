import { kindOf, type CellKind, type ListDefinition } from '../../http/lists/define-list.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Count } from './lists.service.ts'
import type { Bulk, LeftOut } from './bulk.rules.ts'
import { field, optional, query } from '../../http/wire/input.ts'
import { feeCodeOf } from '../../imports/kinds/matched-columns.rules.ts'
import type { DayForm } from '../../imports/files/days.rules.ts'
import { badField } from '../../platform/errors.ts'
import type { FoundColumn, FoundColumns } from '../../imports/match-columns.service.ts'

const out = outputOf<Count>()
export const countOutput = out.object({
  count: out.integer('How many there are with these filters.', 1234),
  is_more: out.flag('There are more than that: nobody counted on.', false),
})

const all = outputOf<{ keys: string[] }>()
export const keysOutput = all.object({
  keys: all.texts('Of all that match, in the order of the list.', ['order_01k9zq4m0ve8sbn6yt2hw3c5da']),
})

const KINDS = [
  'text',
  'money',
  'count',
  'day',
  'moment',
  'state',
  'flag',
] as const satisfies readonly CellKind[]

type ShownColumn = {
  key: string
  title: string
  kind: CellKind
  isSorted: boolean
  values: readonly string[]
}
const shown = outputOf<ShownColumn>()
const columnOutput = shown.object({
  key: shown.text('The field of a row, and the name to sort by.', 'amount'),
  title: shown.text('Its heading.', 'Amount'),
  kind: shown.oneOf(KINDS, 'What its cells are.'),
  is_sorted: shown.flag('Whether the list can be sorted by it.', true),
  values: shown.texts('All that a state can be; else empty.', ['deposited']),
})

const FILTER_KINDS = ['text', 'day', 'choice'] as const
const SOURCES = ['branches', 'years', 'grades', 'sections', 'components', 'discounts'] as const
type ShownFilter = {
  key: string
  label: string
  kind: (typeof FILTER_KINDS)[number]
  values: readonly string[]
  choices: (typeof SOURCES)[number] | undefined
}
const offered = outputOf<ShownFilter>()
const filterOutput = offered.object({
  key: offered.text('The query parameter.', 'state'),
  label: offered.text('As people read it.', 'Status'),
  kind: offered.oneOf(FILTER_KINDS, 'How it is typed.'),
  values: offered.texts('What there is to choose from; else empty.', ['deposited']),
  choices: offered.optional.oneOf(SOURCES, 'What of the institute there is to choose from.'),
})

type AnyList = Pick<ListDefinition, 'title' | 'noun' | 'columns' | 'onPage' | 'filters' | 'sorting'>
const list = outputOf<AnyList>()
/** What a page needs to know of a list to show it. */
export const columnsOutput = list.object({
  one: list.text('What a row is.', 'cheque', ({ noun }) => noun[0]),
  many: list.text('What many are.', 'cheques', ({ noun }) => noun[1]),
  columns: list.list('From left to right.', columnOutput, columnsOf),
  filters: list.list('What it can be narrowed by.', filterOutput, filtersOf),
})
export type ListColumnsAnswer = Shown<typeof columnsOutput>

function columnsOf({ columns, onPage, sorting }: AnyList): ShownColumn[] {
  return onPage.flatMap(key => {
    const one = columns[key]
    const title = one?.column?.title
    if (one === undefined || title === undefined) return []
    const values = (one.schema['enum'] ?? []) as readonly string[]
    // Every moment on a page says that it is India's; in a file the heading does.
    const heading = title.replace(/ \(IST\)$/, '')
    return [{ key, title: heading, kind: kindOf(one), isSorted: key in sorting.columns, values }]
  })
}

function filtersOf({ filters }: AnyList): ShownFilter[] {
  return Object.entries(filters).flatMap(([key, { field, label, choices }]) => {
    if (label === undefined) return []
    const { enum: values, format } = (field as { schema: Record<string, unknown> }).schema
    const kind = Array.isArray(values) || choices !== undefined ? 'choice' : isDay(format) ? 'day' : 'text'
    return [{ key, label, kind, values: (values ?? []) as readonly string[], choices }]
  })
}

function isDay(format: unknown): boolean {
  return format === 'date' || format === 'range-start' || format === 'range-end'
}

const left = outputOf<LeftOut>()
const leftOutOutput = left.object({
  id: left.text('Its id.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  name: left.text('As the list shows it.', 'Asha Rao'),
  why: left.text('Why it was left out.', 'This payment link is paid already and cannot be cancelled.'),
})

const bulk = outputOf<Bulk>()
export const bulkOutput = bulk.object({
  done: bulk.integer('How many it was done to.', 38, ({ done }) => done.length),
  left_out: bulk.list('What was left out, and why.', leftOutOutput),
})
export type BulkAnswer = Shown<typeof bulkOutput>

/** Rows of a list by their keys; so many that an address still takes them. `pickedIds` reads it. */
export const picked = optional(
  field.text(
    'Only these rows of the list, by their ids with commas between them; at most 200.',
    'order_01k9zq4m0ve8sbn6yt2hw3c5da',
    8000,
  ),
)

export const columnsQuery = query({
  name: optional(field.text('The name of the file.', 'class-5.xlsx', 200)),
})

export const SENT_DAYS = optional(
  field.text(
    'A JSON list: for each column whose days could be meant in two ways `dmy` (01/02/2015 is 1 February) or `mdy`, else null.',
    '[null,null,"dmy"]',
    2_000,
  ),
)

const LONGEST_CODE = 64

/** A JSON list of these fields, `fee:` and the code of a fee, or null. */
export function parseColumns(text: string, fields: readonly string[]): (string | null)[] {
  return parseList('columns', text).map((name: unknown, index) => {
    if (name === null) return null
    const code = typeof name === 'string' ? feeCodeOf(name) : null
    const isFee = code !== null && code !== '' && code.length <= LONGEST_CODE && code.trim() === code
    if (typeof name === 'string' && (isFee || fields.includes(name))) return name
    throw badField('columns', `does not know what column ${index + 1} is`)
  })
}

export function parseDays(text: string | undefined): (DayForm['yearLast'] | null)[] {
  return parseList('days', text ?? '[]').map(form => {
    if (form === null || form === 'dmy' || form === 'mdy') return form
    throw badField('days', 'must have dmy, mdy or null for each column')
  })
}

function parseList(key: string, text: string): unknown[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    list = null
  }
  if (!Array.isArray(list)) throw badField(key, 'must be a JSON list')
  return list
}

const column = outputOf<FoundColumn>()
const fileColumnOutput = column.object({
  title: column.text('Its heading.', 'Adm No'),
  samples: column.texts('What stands in its first rows.', ['ADM-1042']),
  open_day: column.optional.text(
    'A day of it that could be meant in two ways, where nothing in the column says which.',
    '01/02/2015',
    one => one.openDay?.day ?? null,
  ),
  open_why: column.optional.oneOf(
    ['order', 'spreadsheet'],
    '`spreadsheet`: the program that made the file may have exchanged day and month.',
    one => one.openDay?.why ?? null,
  ),
  said_before: column.optional.oneOf(
    ['dmy', 'mdy'],
    'What was said of such days in the last file with these headings.',
    one => one.saidBefore,
  ),
  guess: column.optional.text('The field that it probably holds.', 'identifier'),
})
const found = outputOf<FoundColumns>()
export const fileColumnsOutput = found.object({
  columns: found.list('The columns of the file, from left to right.', fileColumnOutput),
  other_sheets: found.texts('Further sheets that have rows; they are not read.', ['VI B']),
})
export type FileColumnsAnswer = Shown<typeof fileColumnsOutput>
