import type { FieldProblem } from '../platform/errors.ts'
import { formatRupees, paiseOf, type Paise } from '../platform/money.ts'
import {
  isKnownField,
  LEAST_PAISE,
  mostOf,
  type PageField,
  type PageLine,
  type PageTerms,
} from './pages.rules.ts'

/** A line as it was sent, before it is known to be one thing or the other. */
export type SentLine = Omit<PageLine, 'price'> & {
  amountPaise?: Paise | undefined
  minPaise?: Paise | undefined
  maxPaise?: Paise | undefined
  maxQuantity?: number | undefined
}

/** What an institute sends of a page: all of it, or what is to change. */
export type SentTerms = Partial<Omit<PageTerms, 'lines'>> & { lines?: SentLine[] }

export function toLine({ componentType, label, isOptional, ...sent }: SentLine): PageLine {
  const { amountPaise, minPaise = LEAST_PAISE, maxPaise = null, maxQuantity = 1 } = sent
  const price =
    amountPaise === undefined
      ? { kind: 'chosen' as const, minPaise, maxPaise }
      : { kind: 'fixed' as const, amountPaise, maxQuantity }
  return { componentType, label, price, isOptional }
}

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/
const MOST_IN_ALL = paiseOf(1e13)

/** What is wrong with it, by the names that the API has for it. */
export function termsProblems(sent: SentTerms): FieldProblem[] {
  const { slug, lines = [], fields = [] } = sent
  const problems = [...linesProblems(lines), ...fieldsProblems(fields)]
  if (slug !== undefined && !SLUG.test(slug)) {
    problems.push({
      key: 'slug',
      message: 'must have 1 to 63 small letters, digits or dashes, and not begin with a dash',
    })
  }
  return problems
}

function linesProblems(lines: readonly SentLine[]): FieldProblem[] {
  const each = lines.flatMap((line, index) => lineProblems(line, `details.${index}`))
  const twice = repeatedAt(lines.map(line => line.componentType)).map(index => ({
    key: `details.${index}.component_type`,
    message: 'stands twice; a page has each component once',
  }))
  if (each.length > 0) return [...each, ...twice]
  // Added up as plain numbers: what is too much may be more than an amount can be.
  const most = lines.reduce((sum, line) => sum + mostOf(toLine(line)), 0)
  const tooMuch = {
    key: 'details',
    message: `must not come to more than ${formatRupees(MOST_IN_ALL)} in all`,
  }
  return most > MOST_IN_ALL ? [...twice, tooMuch] : twice
}

function lineProblems(line: SentLine, at: string): FieldProblem[] {
  const { amountPaise, minPaise, maxPaise, maxQuantity } = line
  const problems: FieldProblem[] = []
  if (amountPaise !== undefined) {
    for (const [name, value] of [
      ['min_amount', minPaise],
      ['max_amount', maxPaise],
    ] as const) {
      if (value === undefined) continue
      problems.push({
        key: `${at}.${name}`,
        message: 'cannot go with amount; send amount, or bounds for the payer to choose in',
      })
    }
  } else if (maxPaise !== undefined && maxPaise < (minPaise ?? LEAST_PAISE)) {
    problems.push({
      key: `${at}.max_amount`,
      message: 'must not be less than min_amount, which is 1 when absent',
    })
  }
  if (maxQuantity !== undefined && amountPaise === undefined)
    problems.push({
      key: `${at}.max_quantity`,
      message: 'needs an amount; what the payer chooses is paid once',
    })
  return problems
}

const FIELD_KEY = /^[a-z][a-z0-9_]{0,39}$/
const MOST_OPTIONS = 200
const ALWAYS_ASKED = ['name', 'phone', 'email']

function fieldsProblems(fields: readonly PageField[]): FieldProblem[] {
  const options = fields.reduce((sum, field) => sum + field.options.length, 0)
  // The page has to stay small enough for a cheap phone.
  const tooMany = { key: 'fields', message: `must not have more than ${MOST_OPTIONS} options in all` }
  return [
    ...(options > MOST_OPTIONS ? [tooMany] : []),
    ...fields.flatMap((field, index) => fieldProblems(field, `fields.${index}`)),
    ...repeatedAt(fields.map(field => field.key)).map(index => ({
      key: `fields.${index}.key`,
      message: 'stands twice; each key can be asked for once',
    })),
  ]
}

function fieldProblems({ key, label, options }: PageField, at: string): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!FIELD_KEY.test(key)) {
    problems.push({
      key: `${at}.key`,
      message: 'must have 1 to 40 small letters, digits or underscores, and begin with a letter',
    })
  } else if (ALWAYS_ASKED.includes(key)) {
    problems.push({ key: `${at}.key`, message: 'is asked for on every page; leave it out' })
  }
  if (label === null && !isKnownField(key))
    problems.push({ key: `${at}.label`, message: 'is required for a field of your own' })
  if (key === 'date_of_birth' && options.length > 0)
    problems.push({ key: `${at}.options`, message: 'cannot go with date_of_birth, which is a day' })
  for (const index of repeatedAt(options))
    problems.push({ key: `${at}.options.${index}`, message: 'stands twice' })
  return problems
}

/** Where a text stands that has been there before. */
function repeatedAt(texts: readonly string[]): number[] {
  return texts.flatMap((text, index) => (texts.indexOf(text) < index ? [index] : []))
}
