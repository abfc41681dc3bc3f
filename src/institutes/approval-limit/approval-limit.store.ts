import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { ApprovalLimits } from './approval-limit.rules.ts'

const LIMITS = `select above_paise as "perActPaise", above_per_child_paise as "perChildPaise"
  from approval_limits where institute_id = $1`

export async function findLimits(db: Queryable, instituteId: number): Promise<ApprovalLimits | null> {
  const [row] = await db.query<ApprovalLimits>(LIMITS, [instituteId])
  return row ?? null
}

export async function lockLimits(tx: Transaction, instituteId: number): Promise<ApprovalLimits | null> {
  const [row] = await tx.query<ApprovalLimits>(`${LIMITS} for update`, [instituteId])
  return row ?? null
}

export async function writeLimits(
  tx: Transaction,
  instituteId: number,
  limits: ApprovalLimits | null,
): Promise<void> {
  if (limits === null) await tx.query('delete from approval_limits where institute_id = $1', [instituteId])
  else
    await tx.query(
      `insert into approval_limits (institute_id, above_paise, above_per_child_paise) values ($1, $2, $3)
       on conflict (institute_id) do update set above_paise = excluded.above_paise,
         above_per_child_paise = excluded.above_per_child_paise`,
      [instituteId, limits.perActPaise, limits.perChildPaise],
    )
}

type GivenAmount = {
  instituteId: number
  id: string
  about: string
  act: string
  amountPaise: Paise
  refundId: string | null
  givenAt: Date
}

const givenAlone = new Table<GivenAmount>('given_alone', {
  instituteId: 'int',
  id: 'text',
  about: 'text',
  act: 'text',
  amountPaise: 'bigint',
  refundId: 'text',
  givenAt: 'timestamptz',
})

export async function insertGiven(tx: Transaction, given: readonly GivenAmount[]): Promise<void> {
  await givenAlone.insert(tx, given)
}

export async function sumGiven(
  db: Queryable,
  instituteId: number,
  abouts: readonly string[],
): Promise<Map<string, Paise>> {
  const rows = await db.query<{ about: string; paise: Paise }>(
    `select about, sum(amount_paise)::bigint as paise from given_alone
     where institute_id = $1 and about = any($2) group by about`,
    [instituteId, abouts],
  )
  return new Map(rows.map(({ about, paise }) => [about, paise]))
}

export async function deleteOfRefund(tx: Transaction, instituteId: number, refundId: string): Promise<void> {
  await tx.query('delete from given_alone where institute_id = $1 and refund_id = $2', [
    instituteId,
    refundId,
  ])
}
