import { addDays } from '../../platform/calendar.ts'
import { sumPaise, ZERO, type Paise } from '../../platform/money.ts'

export type Sum = { amountPaise: Paise; count: number }
/** Money that came in by any way; refunds are told beside it and not taken off, as in the daily collection. */
export type Collected = Sum & { givenBackPaise: Paise }
export type DaySum = Collected & { day: string }

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`
}

/** Days in order, those without a payment as well: a chart that leaves days out misleads. */
export function everyDay(sums: readonly DaySum[], from: string, through: string): DaySum[] {
  const known = new Map(sums.map(sum => [sum.day, sum]))
  const days: DaySum[] = []
  for (let day = from; day <= through; day = addDays(day, 1)) {
    days.push(known.get(day) ?? { day, amountPaise: ZERO, count: 0, givenBackPaise: ZERO })
  }
  return days
}

export function sumFrom(sums: readonly DaySum[], from: string, through: string): Collected {
  const some = sums.filter(({ day }) => day >= from && day <= through)
  return {
    ...addUp(some),
    givenBackPaise: sumPaise(some.map(({ givenBackPaise }) => givenBackPaise)),
  }
}

export function addUp(sums: readonly Sum[]): Sum {
  return {
    amountPaise: sumPaise(sums.map(({ amountPaise }) => amountPaise)),
    count: sums.reduce((total, { count }) => total + count, 0),
  }
}
