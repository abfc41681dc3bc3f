import { paiseOf, sumPaise, ZERO, type Paise } from '../platform/money.ts'

type DaySum = { day: string; amountPaise: Paise; count: number }
export type Sum = { amountPaise: Paise; count: number }

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`
}

export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

/** Days in order, those without a payment as well: a chart that leaves days out tells a lie. */
export function everyDay(sums: readonly DaySum[], from: string, through: string): DaySum[] {
  const known = new Map(sums.map(sum => [sum.day, sum]))
  const days: DaySum[] = []
  for (let day = from; day <= through; day = addDays(day, 1)) {
    days.push(known.get(day) ?? { day, amountPaise: ZERO, count: 0 })
  }
  return days
}

export function sumFrom(sums: readonly DaySum[], from: string, through: string): Sum {
  const some = sums.filter(({ day }) => day >= from && day <= through)
  return {
    amountPaise: sumPaise(some.map(({ amountPaise }) => paiseOf(amountPaise))),
    count: some.reduce((total, { count }) => total + count, 0),
  }
}
