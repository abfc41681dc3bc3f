import type { Column } from '../../../imports/imports.rules.ts'

/** A file of payment links: one row, one link. */
export const MAX_FILE_BYTES = 5_000_000
export const MAX_ROWS = 10_000
export const MAX_PROBLEMS_PER_ROW = 10
/** Made in one step: few enough that a step takes well below a second. */
export const STEP_ROWS = 500
/** What a row can ask for: the first is required, up to four more beside it. */
const MAX_LINES = 5

export const BATCH_STATES = ['checked', 'running', 'done', 'stopped', 'cancelled'] as const
export type BatchState = (typeof BATCH_STATES)[number]

const required = (name: string, kind: Column['kind'] = 'text'): Column => ({ name, kind, isRequired: true })
const optional = (name: string, kind: Column['kind'] = 'text'): Column => ({ name, kind, isRequired: false })

/** component_type, amount, component_type_2, amount_2, … */
export const lineColumns = (no: number): { component: string; amount: string } => {
  const suffix = no === 1 ? '' : `_${no}`
  return { component: `component_type${suffix}`, amount: `amount${suffix}` }
}

const LINE_NUMBERS: readonly number[] = Array.from({ length: MAX_LINES }, (_, index) => index + 1)

export const LINK_COLUMNS: readonly Column[] = [
  required('name'),
  required('phone'),
  required('email'),
  ...LINE_NUMBERS.flatMap(no => {
    const { component, amount } = lineColumns(no)
    const make = no === 1 ? required : optional
    return [make(component), make(amount, 'amount')]
  }),
  optional('identifier'),
  optional('student_name'),
  optional('grade'),
  optional('stream'),
  optional('academic_year_start', 'year'),
  optional('academic_year_end', 'year'),
  optional('custom_identifier'),
  optional('expires_at', 'moment'),
  optional('collector_code'),
  optional('reference'),
]

/** The same row again within this time is the same link; a row with a reference of its own is so for ever. */
const REPEAT_MS = 7 * 86_400_000

export function repeatsAfter(now: Date): Date {
  return new Date(now.getTime() - REPEAT_MS)
}

type Counted = { totalRows: number; badRows: number; knownRows: number }

/** How many links starting it makes, as far as is known. */
export function newLinks({ totalRows, badRows, knownRows }: Counted): number {
  return totalRows - badRows - knownRows
}

const MAX_NAME = 120

/** What the file is called in lists and in the name of its report: no folder, nothing that breaks a header. */
export function tidyName(name: string | undefined): string {
  const plain = (name ?? '').replaceAll(/[\p{C}"\\/;]+/gu, ' ').trim()
  return Array.from(plain).slice(0, MAX_NAME).join('') || 'links'
}
