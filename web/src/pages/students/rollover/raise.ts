import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'

/** How a fee of the new year follows from that of this year: as typed, so many percent or rupees more in each term. */
export type Raise = { by: string; unit: 'percent' | 'rupees' }

/** What a raised amount is rounded to, in paise: half of it and more goes up. An amount that is not raised stays exact. */
export const ROUNDINGS = [
  { value: '1', label: 'Exact to the paisa' },
  { value: '100', label: 'Whole rupees' },
  { value: '1000', label: 'Tens of rupees' },
  { value: '10000', label: 'Hundreds of rupees' },
] as const

const HUNDREDTHS = /^\d{1,6}(\.\d{1,2})?$/

export function isRaise({ by }: Raise): boolean {
  return by === '' || HUNDREDTHS.test(by)
}

export function raisedRupees(rupees: number, { by, unit }: Raise, roundTo: number): number {
  const paise = Math.round(rupees * 100)
  const hundredths = by === '' ? 0 : Math.round(Number(by) * 100)
  if (hundredths === 0 || paise === 0) return rupees
  // Whole numbers up to here, so that no fraction is lost before the rounding.
  const scaled = unit === 'percent' ? paise * (10_000 + hundredths) : (paise + hundredths) * 10_000
  return (Math.round(scaled / (10_000 * roundTo)) * roundTo) / 100
}

/** The same day of the month so many years later; 29 February becomes the 28th. */
export function yearsLater(day: string, years: number): string {
  const [year = '', month = '', date = ''] = day.split('-')
  const next = Number(year) + years
  const isLeap = (next % 4 === 0 && next % 100 !== 0) || next % 400 === 0
  return `${next}-${month}-${month === '02' && date === '29' && !isLeap ? '28' : date}`
}

export type Copy = {
  /** Raises by fee; none: as it is. */
  raises: Readonly<Record<string, Raise>>
  roundTo: number
  /** Due days of the terms, in their order. */
  dueDays: readonly string[]
}

/** The body that saves the new year's structure; concessions go over as they are. */
export function raisedCopy(structure: StructureAnswer, { raises, roundTo, dueDays }: Copy) {
  const { terms, fee_heads, grades, amounts, concessions } = structure
  return {
    terms: terms.map(({ name }, index) => ({ name, due_date: dueDays[index] ?? '' })),
    fee_heads,
    grades,
    amounts: amounts.map(({ amount, ...of }) => {
      const raise = raises[of.component_type] ?? { by: '', unit: 'percent' }
      return { ...of, amount: String(raisedRupees(amount, raise, roundTo)) }
    }),
    concessions,
  }
}

/** What a class pays in the year before concessions, rupees. */
export function yearOfClass(
  amounts: readonly { grade: string; amount: number | string }[],
  grade: string,
): number {
  const paise = amounts.filter(one => one.grade === grade).map(one => Math.round(Number(one.amount) * 100))
  return paise.reduce((sum, one) => sum + one, 0) / 100
}

/** A concession by rule in words: Sibling 2: second child, 10 % of tuition fee. */
export function ruleText(
  rule: StructureAnswer['concessions'][number],
  {
    readable,
    formatRupees,
  }: { readable: (code: string) => string; formatRupees: (rupees: number) => string },
): string {
  const who =
    rule.kind === 'sibling' ? `child ${rule.child ?? 2} of a family` : `category ${rule.category ?? ''}`
  const what = rule.percent === undefined ? formatRupees(rule.amount ?? 0) : `${rule.percent} %`
  const off = rule.fee_heads.length === 0 ? 'every fee' : rule.fee_heads.map(readable).join(', ')
  return `${readable(rule.discount_type)}: ${who}, ${what} off ${off}`
}
