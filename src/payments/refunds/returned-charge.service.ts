import { joinCatalogue } from '../../institutes/catalogue.service.ts'
import type { Order } from '../../orders/orders.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { subtractPaise, type Paise } from '../../platform/money.ts'
import { addToFee, holdStudent } from '../../students/profile/lock-student.service.ts'
import type { PaidOrder } from '../payment-handler.ts'
import { RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import { takenBack, type RefundLine } from './refunds.rules.ts'
import * as store from './refunds.store.ts'
import { addAll } from '../../platform/lists.ts'

/**
 * A refund of the payment has failed after all: of what a bank took back before, less went out twice than was charged. The
 * lines that it takes back then are answered.
 */
export async function chargeLess(
  tx: Transaction,
  { payment, order }: PaidOrder,
  at: Date,
): Promise<RefundLine[]> {
  const { instituteId } = payment
  const all = await store.listRefunds(tx, instituteId, payment.id)
  const counted = all.filter(refund => refund.chargedPaise === 0)
  const changed: RefundLine[] = []
  for (const taken of all.filter(refund => refund.chargedPaise > 0)) {
    const { lines, chargedPaise } = takenBack(order, counted, taken.amountPaise)
    counted.push({ ...taken, lines, chargedPaise })
    if (chargedPaise === taken.chargedPaise) continue
    await store.replaceLines(tx, { ...taken, lines, chargedPaise })
    const lessPaise = subtractPaise(chargedPaise, taken.chargedPaise)
    await chargeFamily(tx, instituteId, order, { amountPaise: lessPaise, at })
    addAll(changed, lines)
  }
  return changed
}

/** Only of a student: an order by itself has nobody's fees to stand among, so its reason and event tell of it alone. */
export async function chargeFamily(
  tx: Transaction,
  instituteId: number,
  { studentId }: Order,
  { amountPaise, at }: { amountPaise: Paise; at: Date },
): Promise<void> {
  if (studentId === null || amountPaise === 0) return
  const key = { instituteId, studentId }
  await joinCatalogue(tx, { id: instituteId }, [{ kind: 'component', code: RETURNED_AFTER_REFUND }])
  await holdStudent(tx, key)
  const fee = { componentType: RETURNED_AFTER_REFUND, amountPaise, at, source: 'charge' as const }
  await addToFee(tx, key, fee)
}
