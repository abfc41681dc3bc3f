import { chosenOf, proposedOf } from '../dues/allocation.rules.ts'
import { withoutPlanned, withoutTaken, type PartPayment } from '../dues/dues.rules.ts'
import type { OnTheWay } from '../payments/on-the-way.rules.ts'
import { DAY_MS, dayAfter, startOfDay } from '../platform/calendar.ts'
import { paiseOf, sumPaise, type Paise } from '../platform/money.ts'
import { canonicalName, plainDigits } from '../platform/names.ts'
import type { Student } from '../students/students.rules.ts'
import type { Exactness, SecondIdentifier } from './biller-port.ts'

/** How much of a bill an app takes: as the school's rule for part payments has it, or always the same. */
export const AMOUNT_RULES = ['part_payments', 'exact', 'at_least', 'any'] as const
export type AmountRule = (typeof AMOUNT_RULES)[number]

/** The account that such money goes through, as every payment names one. */
export const BHARAT_CONNECT = 'bharat-connect'

type ChoosableDues = Parameters<typeof chosenOf>[0]
type BillableDues = Omit<ChoosableDues, 'lines'> & {
  today: string
  lines: readonly (ChoosableDues['lines'][number] & Parameters<typeof proposedOf>[0][number])[]
}

type BilledLine = { componentType: string; amountPaise: Paise }
export type Billed = { lines: BilledLine[]; lateFeePaise: Paise; totalPaise: Paise; dueOn: string | null }

/**
 * What is asked for on a day: all that is overdue with its late fees, else what falls due next. Instalments take theirs in their own
 * time, and what is on the way is not asked for again. Null when nothing is left.
 */
export function billedOf(dues: BillableDues, onTheWay: readonly OnTheWay[]): Billed | null {
  const open = withoutPlanned(withoutTaken(dues, onTheWay))
  const types = proposedOf(open.lines, dues.today)
  if (types.length === 0) return null
  const { lines, lateFeePaise, totalPaise } = chosenOf(open, types)
  const [dueOn = null] = lines.flatMap(line => line.dueOn ?? []).toSorted()
  const billed = lines.map(({ componentType, owedPaise }) => ({ componentType, amountPaise: owedPaise }))
  return { lines: billed, lateFeePaise, totalPaise, dueOn }
}

/** A least amount of one rupee is none. */
const NO_LEAST = paiseOf(100)

/** What an app shows as the amount, and what it takes. */
export function askedOf(
  rule: AmountRule,
  { isAllowed, leastPaise }: PartPayment,
  totalPaise: Paise,
): { exactness: Exactness; amountPaise: Paise } {
  const hasLeast = isAllowed && leastPaise > NO_LEAST && leastPaise < totalPaise
  const byRule = isAllowed ? (hasLeast ? 'at_least' : 'any') : 'exact'
  const exactness = rule === 'part_payments' ? byRule : rule
  return {
    exactness,
    amountPaise: exactness === 'at_least' && hasLeast ? leastPaise : totalPaise,
  }
}

/** The end of the due day, or of the day after it where that has passed: the network wants one that is to come. */
export function dueAtOf(dueOn: string | null, today: string): Date {
  const day = dueOn !== null && dueOn > today ? dueOn : dayAfter(today)
  return new Date(startOfDay(day).getTime() + DAY_MS - 1_000)
}

/** Identifiers as schools write them, since apps send small letters as they are typed. */
export function identifiersFor(typed: string): string[] {
  const name = canonicalName(typed)
  return name === '' ? [] : [...new Set([name, name.toUpperCase(), name.toLowerCase()])]
}

/** Whether what was entered beside the admission number is this student's. */
export function isAnswered(
  student: Pick<Student, 'dateOfBirth' | 'contactNumber'>,
  asked: SecondIdentifier,
  typed: string,
): boolean {
  const entered = plainDigits(typed)
  if (asked === 'phone') {
    const digits = lastDigits(entered)
    return digits !== null && digits === lastDigits(student.contactNumber)
  }
  return student.dateOfBirth !== null && daysFor(entered).includes(student.dateOfBirth)
}

/** A mobile number without its country code. */
function lastDigits(phone: string): string | null {
  const digits = phone.replaceAll(/\D/g, '')
  return digits.length < 7 ? null : digits.slice(-10)
}

/** The days that digits may stand for: 20-06-2015, 20062015 and 2015-06-20 are one. */
function daysFor(typed: string): string[] {
  const digits = typed.replaceAll(/[\s./-]/g, '')
  if (!/^\d{8}$/.test(digits)) return []
  const part = (from: number, to: number): string => digits.slice(from, to)
  return [`${part(4, 8)}-${part(2, 4)}-${part(0, 2)}`, `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}`]
}

/** A moment of the unit that lies further back does not count: a clock of somebody else does not take late fees away. */
const OLDEST_PAYMENT_MS = 7 * DAY_MS

export function paidAtOf(said: Date | null, receivedAt: Date): Date {
  if (said === null || said > receivedAt) return receivedAt
  return receivedAt.getTime() - said.getTime() > OLDEST_PAYMENT_MS ? receivedAt : said
}

/** A payment of a pay-out, as we know it. */
export type PaidOutBill = {
  unitBillId: string
  paymentId: string
  providerRef: string
  amountPaise: Paise
  isSettled: boolean
}

type PaidOutItem = { ourId: string; providerRef: string; amountPaise: Paise; feePaise: Paise }

/**
 * What a pay-out paid, item by item. The notice tells one sum for all its bills, so what is missing of it is the unit's charge, which
 * stands with the first that is new. While a bill is unknown here the charge is not known either: the unknown one has what the known
 * ones leave, for a person to see, and the charge is booked with the last that becomes known.
 */
export function itemsOf(
  unitBillIds: readonly string[],
  amountPaise: Paise,
  known: readonly PaidOutBill[],
): PaidOutItem[] {
  const unknown = unitBillIds.filter(id => known.every(one => one.unitBillId !== id))
  const leftPaise = amountPaise - sumPaise(known.map(one => one.amountPaise))
  const isAll = unknown.length === 0
  const first = known.find(one => !one.isSettled)
  const items = known.map(one => ({
    ourId: one.paymentId,
    providerRef: one.providerRef,
    amountPaise: one.amountPaise,
    feePaise: paiseOf(isAll && one === first ? Math.max(-leftPaise, 0) : 0),
  }))
  // More than its bills brought is money that nobody here knows of.
  const strange = isAll && leftPaise > 0 ? ['surplus'] : unknown
  return [
    ...items,
    ...strange.map((providerRef, index) => ({
      ourId: '',
      providerRef,
      amountPaise: paiseOf(index === 0 ? Math.max(leftPaise, 0) : 0),
      feePaise: paiseOf(0),
    })),
  ]
}
