import { addDays } from '../../platform/calendar.ts'

export type SeededPayment = {
  /** The student's number. */
  n: number
  /** The number of the payment among the student's own. */
  k: number
  componentType: string
  tuitionPaise: number
  /** The bus fee, which is paid together with tuition. */
  ridePaise: number
  paidOn: string
  /** The day on which the bank has it; null: paid at the counter, in cash. */
  settledOn: string | null
}

const STEP_PAISE = 50_000

/** What a student of that number owes in a year of so many terms, as `school.store.ts` writes it. */
function feesOf(n: number, firstGrade: number, terms: number): { termPaise: number; ridePaise: number } {
  const share = (paise: number): number => Math.floor(paise / terms / STEP_PAISE) * STEP_PAISE
  const grade = firstGrade + (n % 12)
  return {
    termPaise: share(6_000_000 + grade * 200_000) - share(n % 5 === 4 ? 500_000 : 0),
    ridePaise: n % 2 === 0 ? 1_200_000 : 0,
  }
}

const PARTS = 10

/**
 * Ten payments, thirty days apart, all of a batch on the same day, so that a day has a settlement. A third has paid everything,
 * the others six parts of ten.
 */
export function tenPayments(n: number, today: string, shiftDays: number): SeededPayment[] {
  const { termPaise: tuitionPaise, ridePaise } = feesOf(n, 1, 1)
  const isPaid = n % 3 === 0
  const online = Array.from({ length: PARTS }, (_, index): SeededPayment => {
    const paidOn = addDays(today, -((PARTS - 1 - index) * 30 + 2 + shiftDays))
    return {
      n,
      k: index + 1,
      componentType: 'TUITION_FEE',
      tuitionPaise: isPaid
        ? tuitionPaise / PARTS
        : Math.floor(((6_000_000 + (1 + (n % 12)) * 200_000) * 6) / 100),
      ridePaise: isPaid ? ridePaise / PARTS : 0,
      paidOn,
      settledOn: addDays(paidOn, 1),
    }
  })
  const cash = { n, k: 0, componentType: 'TUITION_FEE', tuitionPaise: 100_000, ridePaise: 0 }
  return n % 10 === 5 && !isPaid
    ? [...online, { ...cash, paidOn: addDays(today, -45), settledOn: null }]
    : online
}

/** The three terms, as the school's own year has them, and the day on which each is due. */
export const TERMS = [
  { componentType: 'TUITION_FEE_TERM_1', due: '04-15' },
  { componentType: 'TUITION_FEE_TERM_2', due: '08-16' },
  { componentType: 'TUITION_FEE_TERM_3', due: '12-15' },
] as const
export const TRANSPORT_DUE = '06-15'

export function yearStartOf(day: string): number {
  return Number(day.slice(0, 4)) - (day.slice(5) < '04-01' ? 1 : 0)
}

/** National holidays, the same each year. */
const CLOSED = ['01-26', '05-01', '08-15', '10-02', '12-25']

/** Answers the day itself, or the first after it on which the office is open. */
export function openDay(day: string): string {
  let open = day
  while (Temporal.PlainDate.from(open).dayOfWeek === 7 || CLOSED.includes(open.slice(5)))
    open = addDays(open, 1)
  return open
}

/** A number below `most` that is always the same for the same student and use, without a pattern that shows. */
function drawn(n: number, use: number, most: number): number {
  let bits = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(use + 1, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d)
  bits ^= bits >>> 13
  return (bits >>> 0) % most
}

/** How many days after the due day a family pays: most before it, some within two weeks, a few long after. */
function delayOf(n: number, term: number): number {
  const kind = drawn(n, term, 100)
  if (kind < 58) return -drawn(n, term + 10, 13)
  return kind < 86 ? drawn(n, term + 20, 14) : 14 + drawn(n, term + 30, 42)
}

/**
 * What a family paid of a school year up to today: by the term, a third of them in three parts a month apart, some of
 * them at the counter. The year before everything was paid; of this one, one in sixteen has left the second term open and one in thirty the
 * first as well.
 */
export function schoolYear(
  n: number,
  { yearStart, firstGrade, today }: { yearStart: number; firstGrade: number; today: string },
): SeededPayment[] {
  const { termPaise, ridePaise } = feesOf(n, firstGrade, TERMS.length)
  const isPast = yearStart < yearStartOf(today)
  const isByMonth = drawn(n, 1, 3) === 0
  const leftOpen = isPast ? 0 : drawn(n, 2, 30) === 0 ? 3 : drawn(n, 2, 16) === 1 ? 2 : 0
  const atCounter = drawn(n, 3, 6) === 0
  const payments: SeededPayment[] = []
  for (const [term, { componentType, due }] of TERMS.entries()) {
    if (leftOpen > 0 && term >= 3 - leftOpen) break
    const parts = isByMonth ? [0.4, 0.3, 0.3] : [1]
    for (const [part, share] of parts.entries()) {
      const first = addDays(`${yearStart}-${due}`, delayOf(n, term) + part * (28 + drawn(n, 40 + part, 5)))
      const paidOn = openDay(first < `${yearStart}-04-01` ? `${yearStart}-04-01` : first)
      payments.push({
        n,
        k: payments.length + 1,
        componentType,
        tuitionPaise: Math.round(termPaise * share),
        ridePaise: term === 0 && part === parts.length - 1 ? ridePaise : 0,
        paidOn,
        settledOn: atCounter ? null : openDay(addDays(paidOn, 1)),
      })
    }
  }
  return payments.filter(
    ({ paidOn, settledOn }) => (settledOn ?? paidOn) <= (settledOn === null ? addDays(today, -1) : today),
  )
}
