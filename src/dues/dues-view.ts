import { receiptNumber } from '../payments/receipts/receipts.service.ts'
import { productOf } from '../payments/payment-events.ts'
import type { StudentPayment } from '../payments/student-payments.service.ts'
import { sumPaise, toRupees } from '../platform/money.ts'
import type { LateFeeRule } from './dues.rules.ts'
import type { Dues } from './dues.service.ts'
import type { LateFeeEntry, PaymentRules } from './payment-rules.service.ts'

/** Dues, rules and payments as the API answers them. */
export function duesView(dues: Dues, onTheWay: readonly StudentPayment[]) {
  return {
    service_student_id: dues.context.student.id,
    total_amount: toRupees(dues.totalPaise),
    outstanding_amount: toRupees(dues.owedPaise),
    late_fee_amount: toRupees(dues.lateFeePaise),
    advance_amount: toRupees(dues.advancePaise),
    on_the_way_amount: toRupees(sumPaise(onTheWay.map(payment => payment.amountPaise))),
    components: dues.lines.map(line => ({
      component_type: line.componentType,
      fee_amount: toRupees(line.feePaise),
      discount_amount: toRupees(sumPaise(line.discounts.map(discount => discount.valuePaise))),
      paid_amount: toRupees(line.paidPaise),
      outstanding_amount: toRupees(line.owedPaise),
      due_date: line.dueOn ?? undefined,
      is_late: line.isLate,
    })),
    late_fees: dues.lateFees.map(fee => ({
      late_fee_id: fee.ruleId,
      component_type: fee.componentType ?? undefined,
      due_date: fee.dueOn,
      days_late: fee.daysLate,
      amount: toRupees(fee.amountPaise),
      waived_amount: toRupees(fee.waivedPaise),
    })),
  }
}

export function rulesView(rules: PaymentRules) {
  return {
    part_payments: rules.partPayment.isAllowed,
    min_amount: toRupees(rules.partPayment.leastPaise),
    allocation: rules.allocation,
    late_fees: rules.lateFees.map(lateFeeView),
  }
}

function lateFeeView({ id, componentType, dueOn, graceDays, charge, capPaise }: LateFeeRule) {
  return {
    id,
    component_type: componentType ?? undefined,
    due_date: dueOn,
    grace_days: graceDays,
    kind: charge.kind,
    amount_per_day: charge.kind === 'per_day' ? toRupees(charge.amountPaise) : undefined,
    slabs:
      charge.kind === 'slab'
        ? charge.slabs.map(slab => ({ from_day: slab.fromDay, amount: toRupees(slab.amountPaise) }))
        : undefined,
    max_amount: capPaise === null ? undefined : toRupees(capPaise),
  }
}

export function entryView(entry: LateFeeEntry) {
  return {
    id: entry.id,
    late_fee_id: entry.ruleId,
    kind: entry.kind,
    amount: toRupees(entry.amountPaise),
    order_id: entry.orderId ?? undefined,
    reason: entry.reason ?? undefined,
    actor: entry.actor ?? undefined,
    at: entry.at.toISOString(),
  }
}

export function paidView(payment: StudentPayment) {
  return {
    order_id: payment.orderId,
    payment_id: payment.paymentId,
    product: productOf(payment.orderKind),
    status: statusOf(payment),
    amount: toRupees(payment.amountPaise),
    refunded_amount: toRupees(payment.refundedPaise),
    mode: payment.mode,
    transaction_id: payment.transactionId ?? undefined,
    paid_at: payment.capturedAt?.toISOString(),
    receipt_number: payment.receipt === null ? undefined : receiptNumber(payment.receipt),
    details: payment.lines.map(line => ({
      component_type: line.componentType,
      amount: toRupees(line.amountPaise),
    })),
  }
}

function statusOf({ state, isReversed, isSettled }: StudentPayment): string {
  if (state === 'pending') return 'pending'
  if (isReversed) return 'reversed'
  return isSettled ? 'settled' : 'captured'
}
