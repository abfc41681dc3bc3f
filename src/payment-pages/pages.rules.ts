import { assertNever } from '../platform/assert.ts'
import { paiseOf, sumPaise, type Paise, formatRupees } from '../platform/money.ts'
import type { FieldProblem } from '../platform/errors.ts'

/** What a line costs: what the institute says, so often as the payer wants it, or what the payer makes of it. */
export type Price =
  | { kind: 'fixed'; amountPaise: Paise; maxQuantity: number }
  | { kind: 'chosen'; minPaise: Paise; maxPaise: Paise | null }

/** Component types are unique on a page: a line is named by its own in forms, notes and order lines. */
export type PageLine = { componentType: string; label: string | null; price: Price; isOptional: boolean }

/** What is asked beyond name, phone and e-mail. Without a label it is one of KNOWN_FIELDS, which have words of their own. */
export type PageField = {
  key: string
  label: string | null
  isRequired: boolean
  /** The payer takes one of them; without any it is typed. */
  options: string[]
}

/** What an institute says of a page, and can change. */
export type PageTerms = {
  slug: string
  title: string
  description: string | null
  lines: PageLine[]
  fields: PageField[]
  isPublished: boolean
  closesAt: Date | null
  maxPayments: number | null
  callbackUrl: string | null
  successMessage: string | null
}

export type Page = PageTerms & { id: string; collectorCode: string; createdAt: Date; updatedAt: Date }

/** These answers stand in the order's own fields; all others become notes of it. */
const KNOWN_FIELDS = [
  'student_name',
  'identifier',
  'grade',
  'stream',
  'date_of_birth',
  'custom_identifier',
] as const

export type KnownField = (typeof KNOWN_FIELDS)[number]

export function isKnownField(key: string): key is KnownField {
  return (KNOWN_FIELDS as readonly string[]).includes(key)
}

/** What a payer can choose when the institute set no bounds: a rupee, and a crore. */
const LEAST_PAISE = paiseOf(100)
const MOST_PAISE = paiseOf(1_00_00_000 * 100)

export function boundsOf(price: Extract<Price, { kind: 'chosen' }>): { least: Paise; most: Paise } {
  const { minPaise, maxPaise } = price
  return { least: minPaise, most: maxPaise ?? paiseOf(Math.max(MOST_PAISE, minPaise)) }
}

/** The most that one payment of a line can come to. */
export function mostOf({ price }: PageLine): Paise {
  switch (price.kind) {
    case 'fixed':
      return paiseOf(price.amountPaise * price.maxQuantity)
    case 'chosen':
      return boundsOf(price).most
    default:
      return assertNever(price)
  }
}

/** A line that everybody pays alike. */
export function leavesNoChoice({ price, isOptional }: PageLine): boolean {
  return price.kind === 'fixed' && price.maxQuantity === 1 && !isOptional
}

/** What everybody pays; null while there is something to choose. */
export function soleTotal({ lines }: Pick<PageTerms, 'lines'>): Paise | null {
  return lines.every(leavesNoChoice) ? sumPaise(lines.map(mostOf)) : null
}

export type PageState = 'open' | 'full' | 'closed' | 'unpublished'

/** Taken are the places that are paid or being paid. */
export function stateOf(page: PageTerms, { taken, now }: { taken: number; now: Date }): PageState {
  if (!page.isPublished) return 'unpublished'
  if (page.closesAt !== null && page.closesAt <= now) return 'closed'
  return page.maxPayments !== null && taken >= page.maxPayments ? 'full' : 'open'
}

/** How long a filled-in form can be paid, and keeps its place on a page with a limit. */
export const PAYABLE_MS = 30 * 60_000

export function payableUntil({ closesAt }: Pick<PageTerms, 'closesAt'>, now: Date): Date {
  const until = new Date(now.getTime() + PAYABLE_MS)
  return closesAt !== null && closesAt < until ? closesAt : until
}

const LONGEST_SLUG = 63

/** Admission form 2026-27 becomes admission-form-2026-27; a title without Latin letters or digits becomes page. */
export function slugOf(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
  return trimDashes(trimDashes(plain).slice(0, LONGEST_SLUG)) || 'page'
}

/** When the slug is taken, the end of the page's random id is added. */
export function slugWithId(slug: string, id: string): string {
  const suffix = id.slice(-6)
  return `${trimDashes(slug.slice(0, LONGEST_SLUG - suffix.length - 1))}-${suffix}`
}

function trimDashes(text: string): string {
  return text.replaceAll(/^-+|(?<!-)-+$/g, '')
}

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
