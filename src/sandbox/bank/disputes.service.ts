import type { Context } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { PaymentAtProvider, DisputeReport } from '../../providers/port.ts'
import { actOnDispute, reportOfDispute, type DisputeAct } from './disputes.rules.ts'
import * as store from './simulator.store.ts'
import { findBankPayment, lockBankPayment } from './simulator.store.ts'
import type { BankPayment } from './simulator.rules.ts'

/** The payer's bank opens or decides a dispute of a payment or debit; answers what it then tells. */
export async function disputeAtBank(
  { db, clock }: Context,
  { instituteId, ref }: Pick<BankPayment, 'instituteId' | 'ref'>,
  act: DisputeAct,
): Promise<DisputeReport> {
  return db.transaction(async tx => {
    const payment = await lockBankPayment(tx, instituteId, ref)
    if (payment === null) throw notFound('This payment')
    const known = await store.listBankDisputes(tx, instituteId, ref)
    const dispute = actOnDispute(payment, known, act, { ref: newId('bank'), at: clock.now() })
    await store.putBankDispute(tx, dispute)
    return reportOfDispute(dispute, payment.paymentId)
  })
}

export async function listDisputesAtBank(
  { db }: Pick<Context, 'db'>,
  { instituteId, paymentId }: PaymentAtProvider,
): Promise<DisputeReport[]> {
  const payment = await findBankPayment(db, instituteId, { paymentId })
  if (payment === null) return []
  const disputes = await store.listBankDisputes(db, instituteId, payment.ref)
  return disputes.map(dispute => reportOfDispute(dispute, paymentId))
}
