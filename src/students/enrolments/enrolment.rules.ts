import type { OptionalFee, Option } from '../../fees/optional/optional-fee.rules.ts'
import { optionName } from '../../fees/optional/optional-fee.rules.ts'
import { dayBefore, formatDay } from '../../platform/calendar.ts'
import type { Paise } from '../../platform/money.ts'

/** A child has an option of an optional fee from one day to another; its amount is the option's when it began. */
export type Enrolment = {
  id: string
  studentId: string
  feeId: string
  optionId: string
  amountPaise: Paise
  firstDay: string
  /** Before the first day of one that was taken back: it never counted. */
  lastDay: string
  /** Why a fine was given; null for other options. */
  reason: string | null
  madeAt: Date
  madeBy: string
}

export type Decision =
  | { kind: 'unchanged'; why: string }
  | { kind: 'refused'; why: string }
  /** What each becomes; a new one is among them. */
  | { kind: 'changed'; enrolments: Enrolment[] }

export const stands = ({ firstDay, lastDay }: Pick<Enrolment, 'firstDay' | 'lastDay'>): boolean =>
  firstDay <= lastDay

type Choice = { wanted: Enrolment; fee: OptionalFee; isChange: boolean }

/**
 * Gives a child an option. Who has it already keeps it as it is; who has another one gets this one only as a change: the
 * other ends the day before.
 */
export function decideChoice(current: readonly Enrolment[], { wanted, fee, isChange }: Choice): Decision {
  const own = current.filter(one => stands(one))
  if (fee.kind === 'fine') return { kind: 'changed', enrolments: [wanted] }
  const isOnce = fee.periods.length === 0
  const meets = own.filter(
    one => isOnce || (one.firstDay <= wanted.lastDay && one.lastDay >= wanted.firstDay),
  )
  const [met] = meets
  if (met === undefined) return { kind: 'changed', enrolments: [wanted] }
  const isSame = met.optionId === wanted.optionId && met.amountPaise === wanted.amountPaise
  if (
    meets.length === 1 &&
    isSame &&
    (isOnce || (met.firstDay <= wanted.firstDay && met.lastDay === wanted.lastDay))
  )
    return { kind: 'unchanged', why: 'has it already' }
  if (!isChange)
    return {
      kind: 'refused',
      why: `has ${nameIn(fee, met.optionId)} from ${formatDay(met.firstDay)} already`,
    }
  const cut = meets.map(one => endOn(one, isOnce ? null : dayBefore(wanted.firstDay)))
  return { kind: 'changed', enrolments: [...cut, wanted] }
}

/** Ends what a child has after its last day; null takes it back, as if it had never been. */
export function decideEnd(
  current: readonly Enrolment[],
  { lastDay, only }: { lastDay: string | null; only: string | null },
): Decision {
  const ending = current.filter(
    one => stands(one) && (only === null || one.id === only) && (lastDay === null || one.lastDay > lastDay),
  )
  if (ending.length === 0) return { kind: 'unchanged', why: 'does not have it after that day' }
  return { kind: 'changed', enrolments: ending.map(one => endOn(one, lastDay)) }
}

function endOn(one: Enrolment, lastDay: string | null): Enrolment {
  const isTakenBack = lastDay === null || lastDay < one.firstDay
  return { ...one, lastDay: isTakenBack ? dayBefore(one.firstDay) : lastDay }
}

function nameIn({ options, name }: OptionalFee, optionId: string): string {
  const option: Option | undefined = options.find(one => one.id === optionId)
  return option === undefined ? name : optionName(option)
}
