import { addDays } from '../../platform/calendar.ts'
import { subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'

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

/** The first day of the school year that a day is in. */
export function firstOfYear(day: string): string {
  const year = Number(day.slice(0, 4)) - (day.slice(5) < '04-01' ? 1 : 0)
  return `${year}-04-01`
}

export function yearBefore(day: string): string {
  return Temporal.PlainDate.from(day).subtract({ years: 1 }).toString()
}

export type YearSums = {
  from: string
  /** Less what went back. */
  collectedPaise: Paise
  /** What the year before had brought by the same day, and in the end; zero where there was none. */
  lastByNowPaise: Paise
  lastWholePaise: Paise
}

export function yearSums(sums: readonly DaySum[], today: string): YearSums {
  const from = firstOfYear(today)
  const net = (first: string, last: string): Paise => {
    const { amountPaise, givenBackPaise } = sumFrom(sums, first, last)
    return subtractPaise(amountPaise, givenBackPaise)
  }
  const lastFrom = yearBefore(from)
  return {
    from,
    collectedPaise: net(from, today),
    lastByNowPaise: net(lastFrom, yearBefore(today)),
    lastWholePaise: net(lastFrom, addDays(from, -1)),
  }
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

/** What families pay by themselves in a week ahead, 0 being today and the six days after it, and what banks are asked for in it. */
export type WeekAhead = { week: number; amountPaise: Paise; students: number; debits: Sum }

export function weeksAhead(
  due: readonly Omit<WeekAhead, 'debits'>[],
  debits: readonly (Sum & { day: string })[],
  { today, weeks }: { today: string; weeks: number },
): WeekAhead[] {
  return Array.from({ length: weeks }, (_, week) => {
    const [from, to] = [addDays(today, week * 7), addDays(today, week * 7 + 6)]
    return {
      ...(due.find(one => one.week === week) ?? { week, amountPaise: ZERO, students: 0 }),
      debits: addUp(debits.filter(({ day }) => day >= from && day <= to)),
    }
  }).filter(({ amountPaise, debits: { count } }) => amountPaise > 0 || count > 0)
}

/** What a school that is just beginning has done already. */
export type FirstSteps = {
  hasSchool: boolean
  hasFees: boolean
  hasStudents: boolean
  hasAccount: boolean
  hasLink: boolean
  hasColleague: boolean
}
