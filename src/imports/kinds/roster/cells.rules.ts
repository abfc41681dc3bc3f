import { plainDigits } from '../../../platform/names.ts'
import type { RawProblem, RawRow } from '../../files/columns.rules.ts'
import { feeCodeOf } from '../matched-columns.rules.ts'
import { sectionWritten, type SchoolClasses } from './classes.rules.ts'

/** How a clerk writes that a cell has nothing. */
const NOTHING =
  /^(?:[-–—_.*/]+|nil|n\.?a\.?|n\/a|none|null|not (?:available|applicable|known|given)|#\w+[!?/]\w*)$/i
const DASHES = /^[-–—_.*/]+$/
const NO_FEE = /^(?:nil|free|exempt(?:ed)?|zero)$/i

/** A row as an office writes it, in the form in which the API takes it. */
export function tidyRow(
  raw: RawRow,
  { classes, written }: { classes: SchoolClasses; written: RawRow },
): { raw: RawRow; problems: RawProblem[] } {
  const row: RawRow = {}
  for (const [name, value] of Object.entries(raw)) {
    const text = typeof value === 'string' ? tidyText(value) : value
    if (typeof text === 'string' && isNothing(name, text)) continue
    row[name] = typeof text === 'string' ? tidyCell(name, text) : text
  }
  joinName(row)
  choosePhone(row)
  return { raw: row, problems: placeInClass(row, classes, written) }
}

function tidyText(text: string): string {
  return text
    .replaceAll(/[\p{Z}\p{Cc}]+/gu, ' ')
    .replaceAll(/[\u200B\u2060\uFEFF]/g, '')
    .trim()
}

/** Nil is also a name. */
function isNothing(name: string, text: string): boolean {
  if (text === '') return true
  if (feeCodeOf(name) !== null && NO_FEE.test(text)) return false
  return (name === 'fullname' ? DASHES : NOTHING).test(text)
}

function tidyCell(name: string, text: string): string {
  if (feeCodeOf(name) !== null) return NO_FEE.test(text) ? '0' : text
  switch (name) {
    case 'fullname':
      return withoutTitle(text)
    case 'primary_contact_number':
    case 'other_contact_number':
      return firstMobile(text)
    case 'primary_contact_email':
      return text.split(/[\s,;/]+/).find(one => one.includes('@')) ?? text
    case 'new_admission':
      return text.replace(/^new$/i, 'true').replace(/^old$/i, 'false')
    default:
      return text
  }
}

/** Master Kabir Rao and KUM. Diya Nair; Kumari without a full stop is a name. */
function withoutTitle(name: string): string {
  return name.replace(/^(?:(?:mast(?:er)?|mst|mr|miss|ms|kum|km)\.\s*|(?:master|miss|mr|ms)\s+)(?=\S)/i, '')
}

const MOBILE = /(?<!\d)(?:(?:\+|00)?91[\s-]*|0)?([6-9](?:[\s-]?\d){9})(?!\d)/g

/** 080-26543210 has the digits of a mobile. */
const LANDLINE = /(?<!\d)0\d{2,4}[\s-]\d{6,8}(?!\d)/g

/** The first mobile number of a cell with several, or with one beside a landline or a remark; one alone stays as it is written. */
export function firstMobile(text: string): string {
  const plain = plainDigits(text).replace(/\.0$/, '')
  const [first, ...others] = plain.replaceAll(LANDLINE, '').matchAll(MOBILE)
  const number = first?.[1]?.replaceAll(/\D/g, '')
  if (number === undefined) return plain
  const rest = plain.replace(first?.[0] ?? '', '')
  return others.length === 0 && /^[\s+()-]*$/.test(rest) ? plain : number
}

/** A list that has first name and surname apart. */
function joinName(row: RawRow): void {
  const { fullname, surname, ...rest } = row
  if (surname === undefined) return
  delete row['surname']
  if (
    typeof fullname === 'string' &&
    !` ${fullname} `.toLowerCase().endsWith(` ${String(surname).toLowerCase()} `)
  )
    Object.assign(row, rest, { fullname: `${fullname} ${surname}` })
}

/** The mother's number where the father's is missing. */
function choosePhone(row: RawRow): void {
  const { other_contact_number: other } = row
  delete row['other_contact_number']
  if (other !== undefined && row['primary_contact_number'] === undefined)
    row['primary_contact_number'] = other
}

/** A class that a person corrected is one that they know; the section that was written with it stays. */
function placeInClass(row: RawRow, classes: SchoolClasses, written: RawRow): RawProblem[] {
  const { grade, section } = row
  if (grade === undefined) return []
  const text = String(grade)
  const read = classes.read(text)
  const before = written['grade']
  if (read === null && before === undefined)
    return [{ column: 'grade', message: unknownWords(text, classes.ofYear) }]
  const own =
    read?.section ?? (before === undefined || before === text ? null : sectionWritten(String(before)))
  row['grade'] = read?.grade ?? text
  if (own === null) return []
  if (section === undefined) row['section'] = own
  else if (String(section).toLowerCase() !== own.toLowerCase())
    return [{ column: 'section', message: `is not the section ${own} that the class says` }]
  return []
}

const MOST_LISTED = 20

/** The written class comes first, so that each is a group of its own. */
function unknownWords(text: string, classes: readonly string[]): string {
  const more = classes.length > MOST_LISTED ? ' …' : ''
  return `“${text}” is none of the year’s classes: ${classes.slice(0, MOST_LISTED).join(', ')}${more}`
}
