import { dayAfter, parseDay, parseMoment, startOfDay } from '../../platform/calendar.ts'
import { isEmail, isOneLine, isPhone, canonicalName } from '../../platform/names.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { parseRupees } from '../../platform/money.ts'

/**
 * The process's own `format` values: what each turns a sent value into, what to say when it cannot, and how the
 * reference says it in the words of JSON Schema.
 */
type Format = {
  read(value: unknown): unknown
  expects: string
  published: { type: string; [word: string]: unknown }
}

const text = (pattern: string): Format['published'] => ({ type: 'string', pattern })
/** Brackets are escaped: inside a class some dialects (Java, Ruby, JavaScript's `v`) read a bare one as a set of its own. */
const PHONE_FILLER = String.raw`[\s\-\(\)\[\]]*`
const EMAIL_PATTERN = String.raw`[^\s@]+@[^\s@]+\.[^\s@]+`
const LISTED_EMAIL = String.raw`[^\s@,]+@[^\s@,]+\.[^\s@,]+`
const DAY_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}`
const TIME_PATTERN = String.raw`[Tt]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+\-]\d{2}(:?\d{2})?)?`
const MOMENT_OR_DAY_TEXT = text(`${DAY_PATTERN}(${TIME_PATTERN})?$`)

const SORTED_CURSOR = new RegExp(String.raw`^[A-Za-z0-9_.\-]{1,600}$`)

const MOMENT_OR_DAY =
  'must be an ISO 8601 date and time such as 2027-01-31T18:30:00+05:30, or a day as YYYY-MM-DD'

export const formats: Record<string, Format> = {
  rupees: {
    read: parseRupees,
    expects: 'must be an amount in rupees with at most two decimals, from 0 to 100000000000',
    published: { type: 'number', format: 'double', minimum: 0, maximum: 100_000_000_000 },
  },
  year: {
    read: readYear,
    expects: 'must be a four-digit year',
    published: { type: 'integer', minimum: 1000, maximum: 9999 },
  },
  date: {
    read: value => (typeof value === 'string' ? parseDay(value) : null),
    expects: 'must be a real calendar day as YYYY-MM-DD',
    published: { type: 'string', format: 'date' },
  },
  'date-time': {
    read: value => (typeof value === 'string' ? parseMoment(value) : null),
    expects: 'must be an ISO 8601 date and time such as 2027-01-31T18:30:00+05:30',
    published: { type: 'string', format: 'date-time' },
  },
  'date-or-time': {
    read: readMomentOrDay,
    expects: MOMENT_OR_DAY,
    published: MOMENT_OR_DAY_TEXT,
  },
  'range-start': {
    read: value => readMomentOrDay(withPlus(value)),
    expects: MOMENT_OR_DAY,
    published: MOMENT_OR_DAY_TEXT,
  },
  'range-end': {
    read: value => readEnd(withPlus(value)),
    expects: MOMENT_OR_DAY,
    published: MOMENT_OR_DAY_TEXT,
  },
  phone: {
    read: value => (typeof value === 'string' && isPhone(value) ? value : null),
    expects: 'must be a phone number of 7 to 15 digits',
    published: text(String.raw`^${PHONE_FILLER}[+0]?${PHONE_FILLER}(\d${PHONE_FILLER}){7,15}$`),
  },
  email: {
    read: value => (typeof value === 'string' && isEmail(value) ? value : null),
    expects: 'must be an e-mail address such as name@example.in',
    published: text(`^${EMAIL_PATTERN}$`),
  },
  'email-list': {
    read: value => (typeof value === 'string' && isEmailList(value) ? value : null),
    expects: 'must be one or more e-mail addresses, separated by commas',
    published: text(String.raw`^\s*${LISTED_EMAIL}\s*(,\s*${LISTED_EMAIL}\s*)*$`),
  },
  'http-url': {
    read: value => (typeof value === 'string' && isHttpUrl(value) ? value : null),
    expects: 'must be an absolute http or https URL',
    published: { type: 'string', format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  },
  'resource-id': {
    read: value => (typeof value === 'string' && isIdShaped(value) ? value : null),
    expects: 'must be an id: 1 to 64 letters, digits, _, - or .',
    published: text(String.raw`^[A-Za-z0-9_.\-]{1,64}$`),
  },
  /** The cursor of a list in another order than its own holds the value of the last row. */
  'sorted-cursor': {
    read: value => (typeof value === 'string' && SORTED_CURSOR.test(value) ? value : null),
    expects: 'must be next_cursor of the page before: letters, digits, _, - or .',
    published: text(SORTED_CURSOR.source),
  },
  'registration-id': {
    read: value =>
      typeof value === 'string' && isPrintable(canonicalName(value)) ? canonicalName(value) : null,
    expects: 'must be 1 to 128 printable characters, not only blanks',
    published: text(String.raw`\S`),
  },
  'page-size': {
    read: readPageSize,
    expects: 'must be a whole number from 1 to 200',
    published: { type: 'integer', minimum: 1, maximum: 200 },
  },
}

function readYear(value: unknown): number | null {
  const year = typeof value === 'string' && /^\d{4}$/.test(value) ? Number(value) : value
  return typeof year === 'number' && Number.isInteger(year) && year >= 1000 && year <= 9999 ? year : null
}

/** A bare day is its first moment in India, within the same bounds as every moment. */
function readMomentOrDay(value: unknown): Date | null {
  if (typeof value !== 'string') return null
  return parseMoment(parseDay(value) === null ? value : `${value}T00:00`)
}

/** The end of a range: a moment as it is, a bare day up to its end in India. */
function readEnd(value: unknown): Date | null {
  const start = readMomentOrDay(value)
  const day = typeof value === 'string' ? parseDay(value) : null
  return start === null || day === null ? start : startOfDay(dayAfter(day))
}

/** An unencoded "+" in a query arrives as a blank; before an offset it can have been nothing else. */
function withPlus(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^(\S+) (\d{2}:\d{2})$/, '$1+$2') : value
}

function isEmailList(text: string): boolean {
  return isOneLine(text) && text.split(',').every(part => isEmail(part.trim()))
}

function isHttpUrl(text: string): boolean {
  if (!isOneLine(text) || !/^https?:\/\/[^\s/?#]\S*$/i.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== ''
}

function isPrintable(text: string): boolean {
  return text.trim() !== '' && countCharacters(text) <= 128 && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text)
}

function readPageSize(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{1,3}$/.test(value)) return null
  const size = Number(value)
  return size >= 1 && size <= 200 ? size : null
}

/** Code points, which is what "at most 500 characters" means to a database and most programs. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}
