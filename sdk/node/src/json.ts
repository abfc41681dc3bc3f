import { AMOUNTS } from './amounts.ts'

/** Rupees as text with two decimals, such as "1234567.89": exact, and never touched by binary fractions. */
export type Rupees = string

/** Amounts become text with two decimals, from the digits that were sent; everything else is as JSON has it. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, revive)
}

function revive(key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && AMOUNTS.has(key) ? toRupees(context?.source ?? String(value)) : value
}

function toRupees(digits: string): Rupees {
  const [whole = '', decimals = ''] = digits.split('.')
  // An amount has neither an exponent nor a third decimal. One that has is given as it came: rounding would hide it.
  return /e/i.test(digits) ? digits : `${whole}.${decimals.padEnd(2, '0')}`
}
