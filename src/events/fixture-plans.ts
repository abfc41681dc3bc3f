import { newId } from '../platform/ids.ts'
import type { PayloadOf } from './payloads.ts'
import {
  dayFrom,
  hoursBefore,
  newUmrn,
  newUtr,
  ofStudent,
  paymentOf,
  totalOf,
  type FixtureData,
} from './fixture-blocks.ts'

/** Flex plans and loans of made-up events. */

/** Each of the five parts of the plan, of which the first is the down payment. */
const PART = [
  { component_type: 'TUITION_FEE', amount: 19_200 },
  { component_type: 'TRANSPORT_FEE', amount: 4_800 },
]
const PARTS = 5
const TOTAL = totalOf(PART) * PARTS

type PlanStatus = PayloadOf<'flex.subscription.active'>['subscription']['status']

/** A plan of which so many parts are paid. */
export function ofPlan(data: FixtureData, status: PlanStatus, paidParts: number) {
  return {
    ...ofStudent(data),
    subscription: {
      id: newId('plan'),
      status,
      product_name: 'Monthly plan',
      total_amount: TOTAL,
      paid_amount: totalOf(PART) * paidParts,
    },
  }
}

export const closedPlan = (data: FixtureData) => ofPlan(data, 'closed', PARTS)

function partOf(part: number, state: { due_date: string; status: string }) {
  const reference_id = referenceOf(part)
  return {
    id: newId('inst'),
    amount: totalOf(PART),
    is_downpayment: part === 0,
    reference_id,
    details: PART,
    ...state,
  }
}

/** As an ERP numbers the parts of its own schedule. */
function referenceOf(part: number): string {
  return `PART-${part + 1}`
}

/** A part each month: those before the next one are settled, the others still to come. */
function scheduleOf(data: FixtureData, next: number, daysAhead: number) {
  return Array.from({ length: PARTS }, (_, part) =>
    partOf(part, {
      due_date: dayFrom(data, { months: part - next, days: daysAhead }),
      status: part < next ? 'settled' : 'scheduled',
    }),
  )
}

/** As the payer authorises it: the down payment was taken a moment ago. */
export function newSchedule(data: FixtureData) {
  return scheduleOf(data, 0, 0).map(row => (row.is_downpayment ? { ...row, status: 'debited' } : row))
}

/** A schedule whose next instalment was put off by ten days, and the change that says so. */
export function postponed(data: FixtureData, next: number) {
  const after = dayFrom(data, { days: 15 })
  const schedule = scheduleOf(data, next, 5)
  return {
    payment_schedule: schedule.map((row, part) => (part === next ? { ...row, due_date: after } : row)),
    changes: schedule
      .slice(next, next + 1)
      .map(({ id, due_date }) => ({ field: `payment_schedule.${id}.due_date`, before: due_date, after })),
  }
}

/** Which of the parts stands for all instalments. */
const MIDDLE = 2

/** An instalment in the middle of the plan, presented on its due day unless it was skipped. */
export function instalmentOf(data: FixtureData, status: string, daysAhead = 0) {
  const row = partOf(MIDDLE, { due_date: dayFrom(data, { days: daysAhead }), status })
  return status === 'skipped' ? { ...row, attempt: 0 } : { ...row, attempt: 1, presented_on: row.due_date }
}

/** Of an instalment by its mandate, of the down payment at the checkout. */
export function partPayment(data: FixtureData, what: 'instalment' | 'downpayment', isSettled: boolean) {
  const isDebit = what === 'instalment'
  const payment = paymentOf(data, {
    product: 'flex',
    mode: isDebit ? 'enach' : 'upi',
    lines: PART,
    isSettled,
  })
  return { ...payment, reference_id: referenceOf(isDebit ? MIDDLE : 0) }
}

/** Valid for two years; the bank gives the UMRN when it has accepted the mandate. */
export function mandateOf(data: FixtureData, status: 'pending' | 'active' | 'cancelled' | 'expired') {
  const age = { pending: 0, active: 0, cancelled: 3, expired: 24 }[status]
  const days = status === 'expired' ? -1 : 0
  return {
    id: newId('mdt'),
    rail: 'enach' as const,
    status,
    ...(status === 'pending' ? {} : { umrn: newUmrn() }),
    max_amount: 30_000,
    start_date: dayFrom(data, { months: -age, days }),
    end_date: dayFrom(data, { months: 24 - age, days }),
    ...(status === 'cancelled' ? { npci_category_code: 'customer_revoked' as const } : {}),
  }
}

const LOAN = 120_000
const TRANCHES = 2
const EMIS = 12

/** The lender and the amount asked for are known from the start. */
export function ofLoan(data: FixtureData, status: string) {
  const isSigned = status === 'agreement_signed' || status === 'disbursed'
  return {
    ...ofStudent(data),
    application: {
      id: newId('loan'),
      status,
      amount: LOAN,
      lender: 'Vidya Sample Finance',
      ...(isSigned ? { agreement_signed_at: hoursBefore(data, status === 'disbursed' ? 72 : 0) } : {}),
    },
  }
}

/** What the lender will pay out, in equal parts half a year apart. */
export function disbursementsOf(data: FixtureData) {
  return Array.from({ length: TRANCHES }, (_, tranche) => ({
    id: newId('disb'),
    date: dayFrom(data, { days: 3, months: tranche * 6 }),
    amount: LOAN / TRANCHES,
    is_disbursed: false,
  }))
}

export function disbursedOf(data: FixtureData) {
  const amount = LOAN / TRANCHES
  return {
    id: newId('disb'),
    date: dayFrom(data, {}),
    amount,
    disbursed_amount: amount,
    is_disbursed: true,
    settlement_utr: newUtr(data),
  }
}

export function emiOf(data: FixtureData) {
  return {
    id: newId('pay'),
    due_date: dayFrom(data, {}),
    paid_at: data.now.toISOString(),
    amount: LOAN / EMIS,
  }
}
