/**
 * Money is integer paise. A JavaScript number holds them exactly: the largest amount accepted, ₹1e11, is
 * 1e13 paise, and what adds amounts up bounds how many: 50 lines an order, 200 components a student.
 */
declare const paise: unique symbol
export type Paise = number & { readonly [paise]: true }

const MAX_RUPEES = 1e11
const RUPEE_TOLERANCE = 0.000001
const RUPEE_TEXT = /^\d+(\.\d{1,2})?$/

export function paiseOf(value: number): Paise {
  if (!Number.isSafeInteger(value)) throw new Error('paise must be a safe integer')
  return value as Paise
}

export const ZERO = paiseOf(0)

/** Reads rupees as they come over the wire; null when they are not an exact amount of paise in range. */
export function parseRupees(value: unknown): Paise | null {
  if (typeof value === 'string') return RUPEE_TEXT.test(value) ? parseRupees(Number(value)) : null
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > MAX_RUPEES) return null
  const rounded = Math.round(value * 100)
  return Math.abs(value - rounded / 100) <= RUPEE_TOLERANCE ? paiseOf(rounded) : null
}

/** Rupees for an answer. The quotient is the double nearest to the decimal, so it prints exactly. */
export function toRupees(amount: Paise): number {
  return amount / 100
}

export function sumPaise(amounts: readonly Paise[]): Paise {
  return paiseOf(amounts.reduce<number>((total, amount) => total + amount, 0))
}

export function subtractPaise(from: Paise, amount: Paise): Paise {
  return paiseOf(from - amount)
}

export function minPaise(left: Paise, right: Paise): Paise {
  return left < right ? left : right
}

/**
 * Splits an amount in proportion to weights, exact to the paisa: what rounding leaves goes to the largest fractions,
 * the earlier first. No part exceeds its weight while the amount is at most their sum.
 */
export function splitInProportion(amount: Paise, weights: readonly Paise[]): Paise[] {
  const total = BigInt(sumPaise(weights))
  if (total === 0n) throw new Error('an amount cannot be split over nothing')
  const parts = weights.map((weight, index) => {
    const product = BigInt(amount) * BigInt(weight)
    return { index, floor: Number(product / total), rest: product % total }
  })
  let left = amount - parts.reduce((sum, part) => sum + part.floor, 0)
  const byRest = parts.toSorted((one, two) =>
    one.rest === two.rest ? one.index - two.index : one.rest > two.rest ? -1 : 1,
  )
  for (const part of byRest) {
    if (left === 0) break
    part.floor += 1
    left -= 1
  }
  return parts.map(part => paiseOf(part.floor))
}

const INDIAN_GROUPING = new Intl.NumberFormat('en-IN', {
  style: 'currency',
  currency: 'INR',
  minimumFractionDigits: 2,
})

/** ₹1,23,456.50, for people. */
export function formatRupees(amount: Paise): string {
  return INDIAN_GROUPING.format(toRupees(amount))
}

const CRORE = 10_000_000
const SCALES = [
  { name: 'Lakh', size: 100_000 },
  { name: 'Thousand', size: 1_000 },
  { name: 'Hundred', size: 100 },
]
const TENS = 'Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ')
const SMALL =
  'Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen'.split(
    ' ',
  )

/** An amount as it is written on a receipt or a cheque: Rupees One Lakh Twenty and Paise Fifty Only. */
export function rupeesInWords(amount: Paise): string {
  const rupees = Math.floor(Math.abs(amount) / 100)
  const paise = Math.abs(amount) % 100
  const parts: string[] = []
  if (rupees > 0 || paise === 0) parts.push(`Rupees ${numberInWords(rupees)}`)
  if (paise > 0) parts.push(`Paise ${numberInWords(paise)}`)
  return `${amount < 0 ? 'Minus ' : ''}${parts.join(' and ')} Only`
}

/** Crores are counted like any number, so that there is no end to them: One Lakh Crore, Two Crore Crore. */
function numberInWords(value: number): string {
  if (value >= CRORE) {
    return joined(`${numberInWords(Math.floor(value / CRORE))} Crore`, value % CRORE)
  }
  const scale = SCALES.find(({ size }) => value >= size)
  if (scale !== undefined) {
    return joined(`${numberInWords(Math.floor(value / scale.size))} ${scale.name}`, value % scale.size)
  }
  return value < 20 ? (SMALL[value] ?? '') : joined(TENS[Math.floor(value / 10) - 2] ?? '', value % 10)
}

function joined(head: string, rest: number): string {
  return rest === 0 ? head : `${head} ${numberInWords(rest)}`
}
