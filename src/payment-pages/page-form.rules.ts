import { readableComponent, isEmail, isPhone } from '../platform/names.ts'
import { assertNever } from '../platform/assert.ts'
import { paiseOf, type Paise } from '../platform/money.ts'
import { readTypedRupees } from '../platform/typed/amount.rules.ts'
import { readTypedDay } from '../platform/typed/day.rules.ts'
import {
  boundsOf,
  isKnownField,
  type KnownField,
  type PageField,
  type PageLine,
  type PageTerms,
} from './pages.rules.ts'

/** Reads a filled-in form: what the order will hold, or what the payer has to change. */
export type Problem = { input: string } & (
  | { why: 'missing' | 'too_long' | 'phone' | 'email' | 'day' | 'future' | 'option' | 'amount' | 'nothing' }
  | { why: 'below' | 'above'; bound: Paise }
  | { why: 'quantity'; least: number; most: number }
)

export type FilledForm = {
  name: string
  phone: string
  email: string
  known: Partial<Record<KnownField, string>>
  notes: { key: string; value: string }[]
  lines: { componentType: string; label: string; amountPaise: Paise }[]
}

export type FormReading = { kind: 'filled'; filled: FilledForm } | { kind: 'problems'; problems: Problem[] }

/** The names of a form's inputs. */
const CONTACTS = ['name', 'phone', 'email'] as const
export const inputOfField = ({ key }: Pick<PageField, 'key'>): string => `field.${key}`
export const inputOfLine = ({ componentType }: Pick<PageLine, 'componentType'>): string =>
  `line.${componentType}`

/** How long an answer can be: as in the API. */
export function longest(key: string): number {
  if (key === 'identifier' || key === 'custom_identifier') return 128
  return key === 'grade' ? 64 : 500
}

type AnswerReader = (input: string) => string

export function readForm(
  page: Pick<PageTerms, 'lines' | 'fields'>,
  sent: (input: string) => string | undefined,
  today: string,
): FormReading {
  const problems: Problem[] = []
  const typed: AnswerReader = input => tidy(sent(input) ?? '')
  const { lines, notes: quantities } = readLines(page.lines, typed, problems)
  const [name, phone, email] = CONTACTS.map(input => readContact(input, typed(input), problems))
  const known: FilledForm['known'] = {}
  const notes: FilledForm['notes'] = []
  for (const field of page.fields) {
    const answer = readAnswer(field, typed, { today, problems })
    if (answer === '') continue
    if (isKnownField(field.key)) known[field.key] = answer
    else notes.push({ key: field.key, value: answer })
  }
  if (problems.length > 0) return { kind: 'problems', problems }
  return {
    kind: 'filled',
    filled: {
      name: name ?? '',
      phone: phone ?? '',
      email: email ?? '',
      known,
      lines,
      notes: [...notes, ...quantities],
    },
  }
}

/** One line, without what no text should hold; what people paste has both. */
function tidy(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}

function readContact(input: (typeof CONTACTS)[number], text: string, problems: Problem[]): string {
  if (text === '') problems.push({ input, why: 'missing' })
  else if (isTooLong(text, 500)) problems.push({ input, why: 'too_long' })
  else if (input === 'phone' && !isPhone(text)) problems.push({ input, why: 'phone' })
  else if (input === 'email' && !isEmail(text)) problems.push({ input, why: 'email' })
  return text
}

function readAnswer(
  field: PageField,
  typed: AnswerReader,
  { today, problems }: { today: string; problems: Problem[] },
): string {
  const input = inputOfField(field)
  const text = typed(input)
  const day = field.key === 'date_of_birth' ? readTypedDay(text) : null
  if (text === '') {
    if (field.isRequired) problems.push({ input, why: 'missing' })
  } else if (field.options.length > 0) {
    if (!field.options.includes(text)) problems.push({ input, why: 'option' })
  } else if (field.key === 'date_of_birth') {
    if (day === null) problems.push({ input, why: 'day' })
    else if (day > today) problems.push({ input, why: 'future' })
    else return day
  } else if (isTooLong(text, longest(field.key))) {
    problems.push({ input, why: 'too_long' })
  }
  return text
}

function isTooLong(text: string, most: number): boolean {
  return text.length > most && Array.from(text).length > most
}

/** What is paid for, and a note of how many where there was a choice. */
function readLines(
  lines: readonly PageLine[],
  typed: AnswerReader,
  problems: Problem[],
): Pick<FilledForm, 'lines' | 'notes'> {
  const taken: FilledForm['lines'] = []
  const notes: FilledForm['notes'] = []
  const before = problems.length
  for (const line of lines) {
    const { componentType, price } = line
    switch (price.kind) {
      case 'fixed': {
        const quantity = readQuantity(line, price.maxQuantity, typed, problems)
        if (quantity === 0) break
        const amountPaise = paiseOf(price.amountPaise * quantity)
        taken.push({ componentType, amountPaise, label: labelOf(line, quantity) })
        if (price.maxQuantity > 1) notes.push({ key: `quantity.${componentType}`, value: String(quantity) })
        break
      }
      case 'chosen': {
        const amountPaise = readAmount(line, boundsOf(price), typed, problems)
        if (amountPaise !== null) taken.push({ componentType, amountPaise, label: labelOf(line, 1) })
        break
      }
      default:
        assertNever(price)
    }
  }
  const [first] = lines
  if (taken.length === 0 && problems.length === before && first !== undefined)
    problems.push({ input: inputOfLine(first), why: 'nothing' })
  return { lines: taken, notes }
}

/** Ticket × 3. */
function labelOf({ label, componentType }: PageLine, quantity: number): string {
  const name = label ?? readableComponent(componentType)
  return quantity === 1 ? name : `${name} × ${quantity}`
}

/** 0 when it is not taken, or not understood. */
function readQuantity(line: PageLine, most: number, typed: AnswerReader, problems: Problem[]): number {
  const input = inputOfLine(line)
  const text = typed(input)
  const least = line.isOptional ? 0 : 1
  if (most === 1 && !line.isOptional) return 1
  // A box that is not ticked is not sent at all.
  if (text === '' && line.isOptional) return 0
  const quantity = /^\d{1,3}$/.test(text) ? Number(text) : -1
  if (quantity >= least && quantity <= most) return quantity
  problems.push({ input, why: 'quantity', least, most })
  return 0
}

function readAmount(
  line: PageLine,
  { least, most }: { least: Paise; most: Paise },
  typed: AnswerReader,
  problems: Problem[],
): Paise | null {
  const input = inputOfLine(line)
  const text = typed(input)
  if (text === '') {
    if (!line.isOptional) problems.push({ input, why: 'missing' })
    return null
  }
  const amount = readTypedRupees(text)
  if (amount === null) problems.push({ input, why: 'amount' })
  // Nothing, said outright.
  else if (amount === 0 && line.isOptional) return null
  else if (amount < least) problems.push({ input, why: 'below', bound: least })
  else if (amount > most) problems.push({ input, why: 'above', bound: most })
  else return amount
  return null
}
