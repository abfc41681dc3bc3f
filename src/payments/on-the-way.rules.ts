import type { OrderKind } from '../orders/orders.rules.ts'
import { DAY_MS, dayOf, formatDay } from '../platform/calendar.ts'
import { conflict } from '../platform/errors.ts'
import { formatRupees, sumPaise, type Paise } from '../platform/money.ts'

/**
 * Money that is expected for a student's fees: a bank was asked for it and has not answered, or a lender has promised it. What it
 * covers cannot be asked for a second time, whatever the way to pay.
 */
export type OnTheWay = {
  studentId: string
  /** The order that it pays; the application of a loan that is promised. */
  orderId: string
  orderKind: OrderKind
  paymentId: string
  payerName: string
  amountPaise: Paise
  /** What it is for; none of a promised loan, which pays what is owed when it comes. */
  lines: readonly { componentType: string; amountPaise: Paise }[]
  createdAt: Date
  /** The day by which the bank or the lender is expected to have answered. */
  until: string
}

/** A debit has its result within two working days, whatever holidays and weekends come in between. */
const DEBIT_DAYS = 4
const PAYMENT_DAYS = 2

export function expectedBy({ orderKind, createdAt }: Pick<OnTheWay, 'orderKind' | 'createdAt'>): string {
  const days = orderKind === 'instalment' ? DEBIT_DAYS : PAYMENT_DAYS
  return dayOf(new Date(createdAt.getTime() + days * DAY_MS))
}

/** The refusal that every way to pay gives. */
export function alreadyOnTheWay(onTheWay: readonly OnTheWay[]): Error {
  const total = formatRupees(sumPaise(onTheWay.map(one => one.amountPaise)))
  const parts = onTheWay.map(
    one => `${nameOf(one)} of ${formatRupees(one.amountPaise)}, expected by ${formatDay(one.until)}`,
  )
  const until = onTheWay.map(one => one.until).toSorted()
  return conflict(
    `${total} of these fees is on the way already: ${[...new Set(parts)].join('; ')}. It cannot be paid a second time; try again when that has ended, or ask for what is left.`,
    { until: until.at(-1) ?? '' },
  )
}

function nameOf({ orderKind, payerName, lines }: OnTheWay): string {
  switch (orderKind) {
    case 'instalment':
      return 'a debit by mandate'
    case 'loan':
      return lines.length === 0 ? `a loan from ${payerName}` : 'a lender’s transfer'
    default:
      return 'a payment that the bank has not answered yet'
  }
}
