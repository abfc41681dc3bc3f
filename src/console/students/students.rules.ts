import { badField } from '../../platform/errors.ts'
import { paiseOf, sumPaise, type Paise } from '../../platform/money.ts'
import type { Discount, Price } from '../../fees/fees.rules.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** Roles that may record, waive, stop and ask for money. The operator looks after the installation and moves none of it. */
export const FINANCE_ROLES: readonly ConsoleRole[] = ['owner', 'finance']
/** Asking the ERP moves nothing, and those who connect the ERP want to see it work. */
export const ERP_ROLES: readonly ConsoleRole[] = ['owner', 'finance', 'developer']

export const STATUSES = ['active', 'dropped'] as const

/** The logs that a timeline is read from. */
export const TIMELINE_KINDS = ['event', 'act', 'fetch', 'profile', 'fee', 'waiver', 'message'] as const

const LONGEST_WORD = 100
const MOST_WORDS = 8

/**
 * What was typed as a search of `search_words`: every word must be the beginning of one. A phone number is written in
 * many ways, so what can be one is looked for by its digits as well. Null when nothing can be looked for.
 */
export function toWordQuery(instituteId: number, typed: string): string | null {
  const words = typed.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return null
  const typedWords = words.slice(0, MOST_WORDS).map(word => wordBeginning(instituteId, word))
  const together = typedWords.length === 1 ? typedWords.join('') : `(${typedWords.join(' & ')})`
  const phones = phonesOf(typed).map(digits => wordBeginning(instituteId, digits))
  return [together, ...phones].join(' | ')
}

function wordBeginning(instituteId: number, word: string): string {
  const cut = Array.from(word).slice(0, LONGEST_WORD).join('')
  const quoted = cut.replaceAll('\\', '\\\\').replaceAll("'", "''")
  return `'${instituteId}:${quoted}':*`
}

/** Does what `phone_key` of the database does; until all of it is typed, 91 may be the country or the number's beginning. */
function phonesOf(typed: string): string[] {
  if (!/^[\d\s()+.-]+$/.test(typed)) return []
  const digits = typed.replaceAll(/\D/g, '').replace(/^0+/, '')
  if (digits.length < 3) return []
  return /^91[6-9]\d{2,9}$/.test(digits) ? [digits, digits.slice(2)] : [digits]
}

/** Where a timeline goes on: the moment and the id of the entry shown last. */
export type Moment = { at: Date; id: string }

export function writeMoment({ at, id }: Moment): string {
  return `${at.getTime()}.${id}`
}

export function readMoment(cursor: string): Moment {
  const [, millis, id] = /^(\d{1,14})\.([\w.-]+)$/.exec(cursor) ?? []
  if (millis === undefined || id === undefined)
    throw badField('cursor', 'is not a cursor of this list; use next_cursor of the page before')
  return { at: new Date(Number(millis)), id }
}

/** The price with one discount set, or ended at 0; the others stay as they are. */
export function withConcession(price: Price, { discountType, valuePaise }: Discount): Price {
  const isKnown = price.discounts.some(one => one.discountType === discountType)
  const changed = price.discounts.map(one =>
    one.discountType === discountType ? { discountType, valuePaise } : one,
  )
  const all = isKnown ? changed : [...changed, { discountType, valuePaise }]
  return { feePaise: price.feePaise, discounts: all.filter(one => one.valuePaise > 0) }
}

/** What is left of a fee for another discount beside those of other kinds. */
export function roomFor(price: Price, discountType: string): Paise {
  const others = price.discounts.filter(one => one.discountType !== discountType)
  return paiseOf(Math.max(price.feePaise - sumPaise(others.map(one => one.valuePaise)), 0))
}
