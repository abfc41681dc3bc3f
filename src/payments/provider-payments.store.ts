import type { Queryable } from '../platform/db/database.ts'

/** Institute 0: an account of the installation. */
type AtAccount = { instituteId: number; accountId: string; providerPaymentId: string }

/** The provider's payment counts for this payment of ours unless another came first. Who comes at the same moment waits. */
export async function claimProviderPayment(
  db: Queryable,
  { instituteId, accountId, providerPaymentId }: AtAccount,
  paymentId: string,
): Promise<string> {
  const [claimed] = await db.query<{ paymentId: string }>(
    `insert into provider_payments (institute_id, account_id, provider_payment_id, payment_id) values ($1, $2, $3, $4)
     on conflict (institute_id, account_id, provider_payment_id) do update set payment_id = provider_payments.payment_id
     returning payment_id as "paymentId"`,
    [instituteId, accountId, providerPaymentId, paymentId],
  )
  return claimed?.paymentId ?? paymentId
}
