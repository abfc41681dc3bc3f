import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'

/** Money that nobody had asked for, such as a transfer to a student's account number, and the payment that it was booked as. */
export type Credit = {
  instituteId: number
  accountId: string
  utr: string
  /** Null: it came otherwise than to an account number. */
  virtualAccountId: string | null
  providerRef: string
  amountPaise: Paise
  paymentId: string
}

const credits = new Table<Credit>('virtual_account_credits', {
  instituteId: 'int',
  accountId: 'text',
  utr: 'text',
  virtualAccountId: 'text',
  providerRef: 'text',
  amountPaise: 'bigint',
  paymentId: 'text',
})

/** False when the account has a transfer under this UTR already. Who comes at the same moment waits. */
export async function insertCredit(tx: Transaction, credit: Credit): Promise<boolean> {
  const written = await credits.insert(tx, [credit], {
    onConflict: 'on conflict (institute_id, account_id, utr) do nothing',
  })
  return written === 1
}

export async function deleteCredit(
  tx: Transaction,
  { instituteId, accountId, utr }: Pick<Credit, 'instituteId' | 'accountId' | 'utr'>,
): Promise<void> {
  await tx.query(
    'delete from virtual_account_credits where institute_id = $1 and account_id = $2 and utr = $3',
    [instituteId, accountId, utr],
  )
}

export async function findCredit(
  db: Queryable,
  { instituteId, accountId, utr }: Pick<Credit, 'instituteId' | 'accountId' | 'utr'>,
): Promise<Credit | null> {
  const [row] = await db.query<Credit>(
    `select ${credits.columns('c')} from virtual_account_credits c
     where c.institute_id = $1 and c.account_id = $2 and c.utr = $3`,
    [instituteId, accountId, utr],
  )
  return row ?? null
}

/** Whether a transfer with this note on its order was taken for the student. */
export async function hasSentBefore(
  db: Queryable,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  note: { key: string; value: string },
): Promise<boolean> {
  const rows = await db.query(
    `select from orders o
     join payments p on p.institute_id = o.institute_id and p.order_id = o.id and p.state = 'captured'
     join virtual_account_credits c on c.institute_id = p.institute_id and c.payment_id = p.id
     where o.institute_id = $1 and o.student_id = $2 and o.notes @> $3::jsonb limit 1`,
    [instituteId, studentId, JSON.stringify([note])],
  )
  return rows.length > 0
}

/** Null: the payment is of no transfer to an account number. */
export async function findUtr(
  db: Queryable,
  { instituteId, id }: { instituteId: number; id: string },
): Promise<string | null> {
  const [row] = await db.query<{ utr: string }>(
    'select utr from virtual_account_credits where institute_id = $1 and payment_id = $2',
    [instituteId, id],
  )
  return row?.utr ?? null
}

/** The payments of an account that its provider knows under these numbers of its own. */
export async function findByProvider(
  db: Queryable,
  account: { id: string; instituteId: number | null },
  providerRefs: readonly string[],
): Promise<Map<string, { instituteId: number; id: string }>> {
  const rows = await db.query<{ instituteId: number; id: string; providerRef: string }>(
    `select institute_id as "instituteId", payment_id as id, provider_ref as "providerRef" from virtual_account_credits
     where provider_ref = any($2) and account_id = $1 ${account.instituteId === null ? '' : 'and institute_id = $3'}`,
    [account.id, providerRefs, ...(account.instituteId === null ? [] : [account.instituteId])],
  )
  return new Map(rows.map(row => [row.providerRef, row]))
}
