import { formatRupees, toRupees } from '../../platform/money.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import type { Counted, PaymentBefore, PaymentWithHistory, Recorded } from './direct-payments.service.ts'

export function paymentView(payment: RecordedPayment): Record<string, unknown> {
  return {
    id: payment.id,
    transaction_id: payment.transactionId,
    status: payment.cancelledAt === null ? 'recorded' : 'cancelled',
    ...contentView({ ...payment, paidAt: payment.paidAt.toISOString() }),
    recorded_at: payment.recordedAt.toISOString(),
    cancelled_at: payment.cancelledAt?.toISOString(),
  }
}

export function paymentFileView({ history, ...payment }: PaymentWithHistory): Record<string, unknown> {
  return {
    ...paymentView(payment),
    history: history.map(({ changedAt, kind, before }) => ({
      changed_at: new Date(changedAt).toISOString(),
      change: kind,
      before: contentView(before),
    })),
  }
}

export function countedView({ payment, advancePaise }: Counted): Record<string, unknown> {
  return { ...paymentView(payment), advance: toRupees(advancePaise) }
}

/** What a person at the counter should know; undefined when all is as usual. */
export function remarkOn(counted: Counted | Recorded): string | undefined {
  const remarks: string[] = []
  if (counted.advancePaise > 0)
    remarks.push(
      `${formatRupees(counted.advancePaise)} of this payment is more than what is due of its components and counts as advance.`,
    )
  if ('onTheWayPaise' in counted && counted.onTheWayPaise > 0)
    remarks.push(
      `An online payment of ${formatRupees(counted.onTheWayPaise)} for this student is on its way; if it arrives, what is more than due then becomes advance.`,
    )
  return remarks.length === 0 ? undefined : remarks.join(' ')
}

function contentView(content: PaymentBefore): Record<string, unknown> {
  return {
    amount: toRupees(content.amountPaise),
    paid_at: content.paidAt,
    mode: content.mode,
    settlement_utr: content.settlementUtr ?? undefined,
    notes: content.notes ?? undefined,
    fee_components: content.lines.map(({ componentType, amountPaise }) => ({
      component_type: componentType,
      amount: toRupees(amountPaise),
    })),
  }
}
