import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import type { Payment } from '../payments.rules.ts'
import { payments, readByProviderId } from '../payments.store.ts'
import type { PaymentPart } from '../settlements/settlements.rules.ts'

const intents = payments.with<{ nextCheckAt: Date }>({ nextCheckAt: 'timestamptz' })

/**
 * Intents of one payment at the bank for several orders, all or none: false when one of the orders is no longer unpaid or
 * has a payment under way. The caller holds the orders' locks, so that none slips in.
 */
export async function insertGroup(
  tx: Transaction,
  group: readonly Payment[],
  nextCheckAt: Date,
): Promise<boolean> {
  const [first] = group
  if (first === undefined) return false
  const ids = group.map(({ orderId }) => orderId)
  const free = await tx.query(
    `select 1 from orders o where o.institute_id = $1 and o.id = any($2) and o.state = 'unpaid'
       and not exists (select from payments p where p.institute_id = o.institute_id and p.order_id = o.id
         and p.state in ('created', 'pending'))`,
    [first.instituteId, ids],
  )
  if (free.length < group.length) return false
  await intents.insert(
    tx,
    group.map(payment => ({ ...payment, nextCheckAt })),
    {
      only: [
        'instituteId',
        'id',
        'orderId',
        'groupId',
        'provider',
        'accountId',
        'amountPaise',
        'mode',
        'createdAt',
        'nextCheckAt',
      ],
    },
  )
  return true
}

/** The payment that a provider knows under an id, or those that it is for together. */
export async function listAtProvider(db: Database, instituteId: number, id: string): Promise<Payment[]> {
  return readByProviderId(condition =>
    db.pointRead<Payment>(
      `select ${payments.columns('payments')} from payments where institute_id = $1 and ${condition} order by id`,
      [instituteId, id],
    ),
  )
}

/** Lists the payment of each child behind these payments at the bank. */
export async function listParts(
  db: Queryable,
  instituteId: number,
  groupIds: readonly string[],
): Promise<(PaymentPart & { groupId: string })[]> {
  return db.query(
    `select p.group_id as "groupId", p.id, p.amount_paise as "amountPaise", coalesce(r.amount_paise, 0) as "returnedPaise"
     from payments p left join refunds r on r.institute_id = p.institute_id and r.payment_id = p.id
       and r.id = 'rfd_' || substr(p.id, 5)
     where p.institute_id = $1 and p.group_id = any($2) order by p.id`,
    [instituteId, groupIds],
  )
}
