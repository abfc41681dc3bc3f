import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent, stateAt } from '../../orders/orders.rules.ts'
import { receiptNumber } from '../../payments/receipts/receipts.service.ts'
import { paiseOf, sumPaise, toRupees, type Paise } from '../../platform/money.ts'
import { actsOn, leftToRefund } from './orders.rules.ts'
import type { OrderRowAnswer, OrderDetailAnswer } from './orders.schemas.ts'
import type { OrderRow, OrderDetail } from './orders.service.ts'
import type { PaymentRecord, RefundRecord } from './detail.store.ts'
import { defined, paymentView, refundRowView } from './record-view.ts'
import { timelineOf } from './timeline.ts'

/** Orders as the console shows them. What there is none of is absent: an undefined value leaves no key in JSON. */
export function rowView(row: OrderRow, now: Date): OrderRowAnswer {
  return defined({
    id: row.id,
    kind: row.kind,
    status: stateAt(row, now),
    collector_code: row.collectorCode,
    name: row.name,
    phone: row.phone,
    email: row.email,
    identifier: row.identifier ?? undefined,
    student_name: row.studentName ?? undefined,
    student_id: row.studentId ?? undefined,
    page_id: row.pageId ?? undefined,
    amount: toRupees(row.amountPaise),
    refunded: toRupees(row.refundedPaise),
    created_at: row.createdAt.toISOString(),
    paid_at: row.paidAt?.toISOString(),
    expires_at: row.expiresAt?.toISOString(),
  })
}

export function storyView(
  story: OrderDetail,
  { institute, url, now }: { institute: Institute; url: string | null; now: Date },
): OrderDetailAnswer {
  const { facts, payments, refunds } = story
  const amountPaise = sumPaise(facts.lines.map(line => line.amountPaise))
  const left = leftToRefund(payments, refunds)
  const acts = actsOn(facts, { refundable: left, now })
  const branch = institute.branches.find(one => one.collectorCode === facts.collectorCode)
  return defined({
    ...rowView({ ...facts, amountPaise, refundedPaise: refundedOf(refunds) }, now),
    ...studentView(facts),
    branch: branch?.name ?? facts.collectorCode,
    page_title: facts.pageTitle ?? undefined,
    callback_url: facts.callbackUrl ?? undefined,
    transaction_id: facts.transactionId ?? undefined,
    closed_at: facts.closedAt?.toISOString(),
    url: url ?? undefined,
    file: fileOf(facts),
    notes: facts.notes,
    lines: facts.lines.map(line =>
      defined({
        component_type: line.componentType,
        label: readableComponent(line.componentType),
        amount: toRupees(line.amountPaise),
        settlement_utr: line.settlementUtr ?? undefined,
        settled_at: line.settledAt?.toISOString(),
      }),
    ),
    payments: payments.map(paymentView),
    refunds: refunds.map(refundRowView),
    receipt: receiptOf(payments),
    refundable: acts.canRefund ? toRupees(left) : 0,
    can_cancel: acts.canCancel,
    can_send: acts.canSend,
    can_refund: acts.canRefund,
    timeline: timelineOf(story, now).map(one => defined({ ...one, at: one.at.toISOString() })),
  })
}

function studentView(facts: OrderDetail['facts']) {
  const { academicYearStart: start, academicYearEnd: end } = facts
  return {
    grade: facts.grade ?? undefined,
    stream: facts.stream ?? undefined,
    academic_year: start === null ? undefined : `${start}-${end ?? ''}`,
    date_of_birth: facts.dateOfBirth ?? undefined,
    custom_identifier: facts.customIdentifier ?? undefined,
  }
}

function fileOf({ batchId, fileName, fileRow }: OrderDetail['facts']) {
  return batchId === null ? undefined : { batch_id: batchId, name: fileName ?? '', row: fileRow ?? 0 }
}

function refundedOf(refunds: readonly RefundRecord[]): Paise {
  const counted = refunds.filter(refund => refund.kind === 'requested' && refund.state !== 'failed')
  return sumPaise(counted.map(refund => paiseOf(refund.amountPaise)))
}

function receiptOf(payments: readonly PaymentRecord[]): OrderDetailAnswer['receipt'] {
  const paying = payments.find(payment => payment.receiptNo !== null)
  if (paying === undefined || paying.receiptNo === null) return undefined
  return defined({
    number: receiptNumber({ financialYear: paying.financialYear ?? '', number: paying.receiptNo }),
    cancelled_at: paying.receiptCancelledAt?.toISOString(),
    cancel_reason: paying.receiptCancelReason ?? undefined,
  })
}
