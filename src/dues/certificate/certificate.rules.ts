import { badField } from '../../platform/errors.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'

/** 2026-27: from 1 April of the first year up to 31 March of the second. */
export function spanOf(financialYear: string): { from: string; before: string } {
  const start = Number(/^(\d{4})-\d{2}$/.exec(financialYear)?.[1])
  const isYear = start >= 2000 && financialYear.endsWith(String((start + 1) % 100).padStart(2, '0'))
  if (!isYear) throw badField('financial_year', 'must be a financial year such as 2026-27')
  return { from: `${start}-04-01`, before: `${start + 1}-04-01` }
}

type Line = { componentType: string; amountPaise: Paise }

/** Sums by fee, less refunds; a fee that was refunded whole is left out. */
export function sumByFee(lines: readonly Line[]): Line[] {
  return [...Map.groupBy(lines, line => line.componentType)]
    .map(([componentType, own]) => ({
      componentType,
      amountPaise: sumPaise(own.map(line => line.amountPaise)),
    }))
    .filter(line => line.amountPaise !== 0)
}
