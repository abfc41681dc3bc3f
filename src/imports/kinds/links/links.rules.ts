import type { SendChannel } from '../../../orders/link-messages.texts.ts'
import type { RawRow } from '../../files/columns.rules.ts'
import { feeCodeOf, type Titles } from '../matched-columns.rules.ts'
import type { Language } from '../../../platform/languages.ts'
import { DAY_MS } from '../../../platform/calendar.ts'

/** How payers are notified of their links; chosen when the file is started. Without a language each in its own. */
export type LinkOptions = { channels: SendChannel[]; language: Language | null }

export const LINK_FILE_STATES = ['checked', 'running', 'done', 'stopped', 'cancelled'] as const

/** The same row again within this time is the same link; a row with a reference of its own is so for ever. */
const REPEAT_MS = 7 * DAY_MS

export function repeatsAfter(now: Date): Date {
  return new Date(now.getTime() - REPEAT_MS)
}

type LinkRowCounts = { totalRows: number; badRows: number; failedRows: number; knownRows: number }

/** How many links starting it makes, as far as is known. */
export function newLinks({ totalRows, badRows, failedRows, knownRows }: LinkRowCounts): number {
  return totalRows - (badRows - failedRows) - knownRows
}

const MAX_NAME = 120

/** What the file is called in lists and in the name of its report: no folder, nothing that breaks a header. */
export function tidyName(name: string | undefined): string {
  const plain = (name ?? '').replaceAll(/[\p{C}"\\/;]+/gu, ' ').trim()
  return Array.from(plain).slice(0, MAX_NAME).join('') || 'links'
}

/** What a column may be, beside a fee with its amounts. */
export const LINK_FIELDS = [
  'name',
  'phone',
  'email',
  'identifier',
  'student_name',
  'grade',
  'settle_dues',
  'amount',
  'component_type',
  'expires_at',
  'reference',
  'collector_code',
  'custom_identifier',
  'stream',
  'academic_year_start',
  'academic_year_end',
  'service_student_id',
  'component_type_2',
  'amount_2',
  'component_type_3',
  'amount_3',
  'component_type_4',
  'amount_4',
  'component_type_5',
  'amount_5',
] as const
export type LinkField = (typeof LINK_FIELDS)[number]

const NEVER = /(?!)/

/** Titles that schools give their columns. */
const HEADED: { readonly [Field in LinkField]?: RegExp } = {
  name: /^(name|payer|payername|parent|parentname|parentsname|father|fathername|fathersname|contactname|guardian|guardianname)$/,
  phone: /(mobile|^mob(no|number)?$|phone|whatsapp|^tel|contact(no|number)?$|^cell)/,
  email: /e?mail/,
  identifier: /^(adm|admission|enrol|scholar|studentid|grno|regno|registrationno|uid)/,
  student_name: /^(student|studentsname|nameofstudent|nameofthestudent|pupil|pupilname|child|childname)$/,
  grade: /^(class|std|standard|classname|gradename)$/,
  settle_dues: /^(settlesdues|paysdues)$/,
  amount: /^(amount(rs|inr|rupees|due)?|rupees|rs|total(amount)?|feeamount)$/,
  component_type: /^(component|fee|feetype|feehead|feename|head|particulars|purpose)$/,
  expires_at: /^(expires|expiry|expirydate|lastdate|validtill|validuntil|payby|duedate)$/,
  reference: /^(ref|refno|referenceno)$/,
  collector_code: /^(branch|branchcode|campus)$/,
  custom_identifier: /^roll/,
}

export const LINK_TITLES: Titles<LinkField> = LINK_FIELDS.map(field => [field, HEADED[field] ?? NEVER])

/** Fees whose cells are blank in a row are there with nothing, so that a row without any is told of them. */
export function emptyFees(names: readonly (string | null)[]): RawRow {
  return Object.fromEntries(
    names.flatMap(name => (name !== null && feeCodeOf(name) !== null ? [[name, 0]] : [])),
  )
}

/** What a link cannot be made without; amounts stand in a column of their own, or one for each fee. */
export function missingColumns(names: readonly string[]): string[] {
  const hasFee = names.some(name => feeCodeOf(name) !== null)
  const needed = ['name', 'phone', 'email', ...(hasFee ? [] : ['component_type', 'amount'])]
  return needed.filter(name => !names.includes(name))
}
