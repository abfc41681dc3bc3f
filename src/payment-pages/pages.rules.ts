import { assertNever } from '../platform/assert.ts'
import { paiseOf, sumPaise, type Paise } from '../platform/money.ts'

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
export const LEAST_PAISE = paiseOf(100)
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
