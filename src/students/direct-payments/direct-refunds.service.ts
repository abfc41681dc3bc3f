import { joinCatalogue } from '../../institutes/catalogue.service.ts'
import { payFromAdvances, takeBackAdvances } from '../../fees/advances/advances.service.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import { RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import { financialYear } from '../../receipts/receipts.rules.ts'
import { addToFee, holdStudent } from '../profile/lock-student.service.ts'
import { readStudentContexts, type StudentContext } from '../student-contexts.service.ts'
import type { StudentKey } from '../students.rules.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import { findPayment } from './direct-payments.store.ts'
import { insertRefund, listRefundsOf, nextVoucherNumber, type DirectRefund } from './direct-refunds.store.ts'

export { listRefundsOf } from './direct-refunds.store.ts'
export type { DirectRefund } from './direct-refunds.store.ts'

export type HeldPayment = { payment: RecordedPayment; refunds: DirectRefund[]; context: StudentContext }

/** A payment that the institute took itself, with what was paid out of it; its student is held until the commit. */
export async function holdPayment(
  tx: Transaction,
  key: StudentKey,
  transactionId: string,
): Promise<HeldPayment> {
  await holdStudent(tx, key)
  const payment = await findPayment(tx, key, transactionId)
  const context = (await readStudentContexts(tx, [key])).get(key.studentId)
  if (payment === null || context === undefined) throw notFound('This payment')
  return { payment, refunds: await listRefundsOf(tx, key.instituteId, [payment.id]), context }
}

type NewRefund = Pick<DirectRefund, 'paymentId' | 'way' | 'reference' | 'reason' | 'lines'> & {
  by: string
  /** Nobody said of which fees: what it made due again, advances of others pay. */
  isAdvanceFirst: boolean
}

/** Writes down what was paid out, under the next number of vouchers; its lines are due again. The caller holds the payment. */
export async function addRefund(
  tx: Transaction,
  key: StudentKey,
  { by, isAdvanceFirst, ...wanted }: NewRefund,
  at: Date,
): Promise<DirectRefund> {
  const { instituteId } = key
  const year = financialYear(dayOf(at))
  const refund: DirectRefund = {
    ...wanted,
    id: newId('rfd'),
    financialYear: year,
    number: await nextVoucherNumber(tx, instituteId, year),
    amountPaise: sumPaise(wanted.lines.map(line => line.amountPaise)),
    refundedAt: at,
    refundedBy: by,
  }
  await insertRefund(tx, instituteId, refund)
  if (isAdvanceFirst) await payFromAdvances(tx, key, refund.lines, at)
  await takeBackAdvances(tx, key, refund.lines, at)
  recomputeBalances(tx, instituteId, [key.studentId])
  return refund
}

/**
 * A payment counts no more of which a part had been paid out: that part went out without having come in, and the family
 * owes it as a charge of its own. The caller holds the student.
 */
export async function chargeRefunded(
  tx: Transaction,
  key: StudentKey,
  { refundedPaise }: { refundedPaise: Paise },
  at: Date,
): Promise<void> {
  if (refundedPaise === 0) return
  const { instituteId } = key
  await joinCatalogue(tx, { id: instituteId }, [{ kind: 'component', code: RETURNED_AFTER_REFUND }])
  const charge = { componentType: RETURNED_AFTER_REFUND, amountPaise: refundedPaise, at }
  await addToFee(tx, key, { ...charge, source: 'charge' })
}
