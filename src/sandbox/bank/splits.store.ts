import type { Queryable } from '../../platform/db/database.ts'
import type { LinkedPart } from '../../providers/port.ts'

export type SplitKey = { instituteId: number; kind: 'payment' | 'refund'; ourId: string }

/** Once for a payment or refund, however often it is asked for. */
export async function insertSplits(
  db: Queryable,
  { instituteId, kind, ourId }: SplitKey,
  parts: readonly LinkedPart[],
): Promise<void> {
  await db.query(
    `insert into bank_splits (institute_id, kind, our_id, linked_id, amount_paise)
     select $1, $2, $3, p.linked_id, p.paise from unnest($4::text[], $5::bigint[]) as p (linked_id, paise)
     on conflict do nothing`,
    [instituteId, kind, ourId, parts.map(part => part.linkedId), parts.map(part => part.amountPaise)],
  )
}

/** Null: nobody has said anything about it. */
export async function readVerified(
  db: Queryable,
  instituteId: number,
  linkedId: string,
): Promise<boolean | null> {
  const [row] = await db.query<{ isVerified: boolean }>(
    'select is_verified as "isVerified" from bank_linked_accounts where institute_id = $1 and linked_id = $2',
    [instituteId, linkedId],
  )
  return row?.isVerified ?? null
}

export async function writeVerified(
  db: Queryable,
  { instituteId, linkedId, isVerified }: { instituteId: number; linkedId: string; isVerified: boolean },
): Promise<void> {
  await db.query(
    `insert into bank_linked_accounts (institute_id, linked_id, is_verified) values ($1, $2, $3)
     on conflict (institute_id, linked_id) do update set is_verified = excluded.is_verified`,
    [instituteId, linkedId, isVerified],
  )
}
