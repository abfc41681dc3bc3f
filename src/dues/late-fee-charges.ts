import type { Transaction } from '../platform/db/database.ts'
import { newId } from '../platform/ids.ts'
import { sumPaise } from '../platform/money.ts'
import { addToFee } from '../students/profile/lock-student.service.ts'
import { LATE_FEE, type Share } from './dues.rules.ts'
import { insertEntries } from './dues.store.ts'

/** A late fee becomes a fee of the student's as it is paid. */
export async function chargeLateFees(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  lateFees: Share['lateFees'],
  { orderId, at }: { orderId: string | null; at: Date },
): Promise<void> {
  if (lateFees.length === 0) return
  const amountPaise = sumPaise(lateFees.map(fee => fee.amountPaise))
  await addToFee(tx, key, { componentType: LATE_FEE, amountPaise, at, source: 'late_fee' })
  await insertEntries(
    tx,
    key,
    lateFees.map(fee => ({
      ...fee,
      id: newId('late'),
      kind: 'charged',
      orderId,
      reason: null,
      actor: null,
      at,
    })),
  )
}
