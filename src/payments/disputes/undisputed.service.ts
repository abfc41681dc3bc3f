import type { Queryable } from '../../platform/db/database.ts'
import { conflict } from '../../platform/errors.ts'
import type { Payment } from '../payments.rules.ts'
import { statusOf } from './disputes.rules.ts'
import { listStanding } from './disputes.store.ts'

/** Money that a bank holds or has taken back is not given back a second time; one that was won can be refunded. */
export async function assertUndisputed(
  db: Queryable,
  { instituteId, id }: Pick<Payment, 'instituteId' | 'id'>,
): Promise<void> {
  const [dispute] = await listStanding(db, instituteId, id)
  if (dispute === undefined) return
  throw conflict(
    statusOf(dispute) === 'lost'
      ? `The payer's bank has taken this payment back: the dispute ${dispute.id} was lost. There is nothing to refund.`
      : `The payer disputes this payment at the bank (${dispute.id}). Answer the dispute at the provider; it cannot be refunded until that is decided.`,
  )
}
