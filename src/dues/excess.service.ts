import type { RefundCause } from '../payments/refunds/refunds.rules.ts'
import { refundExcess } from '../payments/refunds/refunds.service.ts'
import { listPaid } from '../payments/student-payments.service.ts'
import { wasPaidSince } from '../students/direct-payments/direct-payments.service.ts'
import type { PaidOrder } from '../payments/payment-handler.ts'
import type { Transaction } from '../platform/db/database.ts'
import { formatRupees, sumPaise, type Paise } from '../platform/money.ts'
import { overlap, type Excess, type Share } from './dues.rules.ts'
import { readRules } from './dues.store.ts'

/** What a payment brought beyond what was owed, and whether it goes back. */
export type SettledExcess = { excessPaise: Paise; isExcessRefunded: boolean }

/** It goes back or is kept as advance, as the institute has chosen. */
export async function settleExcess(
  tx: Transaction,
  paid: PaidOrder,
  excess: Share['lines'],
  at: Date,
): Promise<SettledExcess> {
  const excessPaise = sumPaise(excess.map(line => line.amountPaise))
  const isExcessRefunded =
    excessPaise > 0 && (await readExcessRule(tx, paid.payment.instituteId)) === 'refund'
  if (isExcessRefunded) await refundExcess(tx, paid, { excess, cause: await causeOf(tx, paid, excess), at })
  return { excessPaise, isExcessRefunded }
}

/** What made it too much since the order was made: the same fees paid at the school, paid online, or lowered. */
async function causeOf(
  tx: Transaction,
  { payment, order }: PaidOrder,
  excess: Share['lines'],
): Promise<RefundCause> {
  const { instituteId } = payment
  const { studentId, createdAt: since } = order
  if (studentId === null) return 'less_due'
  const componentTypes = excess.map(line => line.componentType)
  if (await wasPaidSince(tx, { instituteId, studentId }, { componentTypes, since })) return 'paid_at_school'
  const online = await listPaid(tx, instituteId, [studentId])
  const isTwice = online.some(
    one => one.paymentId !== payment.id && (one.capturedAt ?? since) >= since && overlap(one.lines, excess),
  )
  return isTwice ? 'paid_twice' : 'less_due'
}

async function readExcessRule(tx: Transaction, instituteId: number): Promise<Excess> {
  return (await readRules(tx, [instituteId])).get(instituteId)?.excess ?? 'refund'
}

/** What the event says of it. */
export function excessNotes({ excessPaise, isExcessRefunded }: SettledExcess): string | null {
  if (excessPaise === 0) return null
  const fate = isExcessRefunded ? 'goes back to the payer' : 'is kept as advance'
  return `${formatRupees(excessPaise)} of this is more than was due and ${fate}.`
}
