import type { Database, Transaction } from '../../platform/db/database.ts'
import { commitLater } from '../../platform/db/query.ts'
import type { Payment } from '../payments.rules.ts'

/** Intents for orders that were made a moment ago in the same transaction, so nobody else can have one under way. */
export async function insertDebits(
  tx: Transaction,
  debits: readonly { payment: Payment; nextCheckAt: Date }[],
): Promise<void> {
  await tx.query(
    `insert into payments (institute_id, id, order_id, provider, account_id, amount_paise, mode, created_at, next_check_at,
       provider_ref)
     select * from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
       $8::timestamptz[], $9::timestamptz[], $10::text[])`,
    [
      debits.map(({ payment }) => payment.instituteId),
      debits.map(({ payment }) => payment.id),
      debits.map(({ payment }) => payment.orderId),
      debits.map(({ payment }) => payment.provider),
      debits.map(({ payment }) => payment.accountId),
      debits.map(({ payment }) => payment.amountPaise),
      debits.map(({ payment }) => payment.mode),
      debits.map(({ payment }) => payment.createdAt),
      debits.map(({ nextCheckAt }) => nextCheckAt),
      debits.map(({ payment }) => payment.providerRef),
    ],
  )
}

type Key = Pick<Payment, 'instituteId' | 'id'>

/**
 * False when it has ended already. Counts as a check, because the number of checks is what a reconciler compares before
 * it gives one up. Lost in a power failure, it is as if nobody had tried to send it, and the bank is asked.
 */
export async function takeToSend(
  db: Database,
  { instituteId, id }: Key,
  { nextCheckAt, providerRef }: { nextCheckAt: Date; providerRef: string | null },
): Promise<boolean> {
  const rows = await db.query(
    `update payments set checks = checks + 1, next_check_at = $3, provider_ref = coalesce(provider_ref, $4)
     where institute_id = $1 and id = $2 and state in ('created', 'pending') ${commitLater()}`,
    [instituteId, id, nextCheckAt, providerRef],
  )
  return rows.length === 1
}

/** Lost, or overtaken by the bank's own word, it is as if its answer had been: that word names the debit too. */
export async function recordPresented(
  db: Database,
  { instituteId, id }: Key,
  presented: { providerRef: string; nextCheckAt: Date },
): Promise<void> {
  await db.query(
    `update payments set provider_ref = coalesce(provider_ref, $3), state = 'pending', next_check_at = $4
     where institute_id = $1 and id = $2 and state = 'created' ${commitLater()}`,
    [instituteId, id, presented.providerRef, presented.nextCheckAt],
  )
}
