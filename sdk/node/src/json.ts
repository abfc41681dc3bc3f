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
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(digits) ?? []
  // Not as amounts are written: left to the number itself, which is exact up to 90 trillion rupees.
  return whole === '' ? Number(digits).toFixed(2) : `${sign}${whole}.${decimals.padEnd(2, '0')}`
}
