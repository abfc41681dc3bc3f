import type { OrderKind } from '../orders/orders.rules.ts'
import { DAY_MS, dayOf, formatDay } from '../platform/calendar.ts'
import { conflict } from '../platform/errors.ts'
import { formatRupees, minPaise, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { sumByComponent } from '../students/direct-payments/direct-payments.rules.ts'

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
  /** The fees that it pays; empty for a promised loan, which pays whatever is owed when it comes. */
  lines: readonly { componentType: string; amountPaise: Paise }[]
  createdAt: Date
  /** The day by which the bank or the lender is expected to have answered. */
  until: string
}

/**
 * Takes this money off what is owed, one owed line after the other. A promised loan has no lines: it pays whatever is owed
 * when it comes, the first component first.
 */
export function restAfter(
  onTheWay: readonly Pick<OnTheWay, 'amountPaise' | 'lines'>[],
): (componentType: string, owedPaise: Paise) => Paise {
  const named = sumByComponent(onTheWay.flatMap(({ lines }) => lines))
  let promised = sumPaise(onTheWay.filter(({ lines }) => lines.length === 0).map(one => one.amountPaise))
  return (componentType, owedPaise) => {
    const before = named.get(componentType) ?? ZERO
    const part = minPaise(owedPaise, before)
    named.set(componentType, subtractPaise(before, part))
    const open = subtractPaise(owedPaise, part)
    const lent = minPaise(open, promised)
    promised = subtractPaise(promised, lent)
    return subtractPaise(open, lent)
  }
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
