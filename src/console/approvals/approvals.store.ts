import { isHere, nameRows, type RowKey } from '../../platform/db/query.ts'
import { findDue } from '../../platform/jobs/due-rows.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Approval } from './approvals.rules.ts'

const approvals = new Table<Approval>('approvals', {
  instituteId: 'int',
  id: 'text',
  act: 'text',
  about: 'text',
  subject: 'text',
  title: 'text',
  amountPaise: 'bigint',
  effect: 'jsonb',
  request: 'jsonb',
  reason: 'text',
  state: 'text',
  makerId: 'text',
  makerEmail: 'text',
  madeAt: 'timestamptz',
  expiresAt: 'timestamptz',
  deciderId: 'text',
  deciderEmail: 'text',
  decidedAt: 'timestamptz',
  note: 'text',
})
export const APPROVAL_COLUMNS = approvals.columns('a')

/** False when the same waits already. */
export async function insertApproval(tx: Transaction, approval: Approval): Promise<boolean> {
  const onConflict = `on conflict (institute_id, act, subject) where state = 'waiting' do nothing`
  return (await approvals.insert(tx, [approval], { onConflict })) === 1
}

export async function countWaiting(db: Queryable, instituteId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from approvals where institute_id = $1 and state = 'waiting'`,
    [instituteId],
  )
  return row?.count ?? 0
}

const BY_ID = `select ${APPROVAL_COLUMNS} from approvals a where a.institute_id = $1 and a.id = $2`

export async function findApproval(db: Queryable, instituteId: number, id: string): Promise<Approval | null> {
  const [row] = await db.query<Approval>(BY_ID, [instituteId, id])
  return row ?? null
}

export async function lockApproval(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<Approval | null> {
  const [row] = await tx.query<Approval>(`${BY_ID} for update`, [instituteId, id])
  return row ?? null
}

export async function writeDecision(tx: Transaction, approval: Approval): Promise<void> {
  await approvals.update(tx, [approval], {
    key: ['instituteId', 'id'],
    set: ['state', 'deciderId', 'deciderEmail', 'decidedAt', 'note'],
  })
}

const HAS_EXPIRED = `state = 'waiting' and expires_at <= $1`

export async function findExpired(db: Database, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, { table: 'approvals', where: HAS_EXPIRED, order: 'expires_at' }, now, limit)
}

/** Ends them. */
export async function expireSome(tx: Transaction, now: Date, keys: readonly RowKey[]): Promise<Approval[]> {
  const these = nameRows(keys, 2)
  return tx.query<Approval>(
    `update approvals a set state = 'expired', decided_at = $1
     where ${these.lock('approvals', HAS_EXPIRED, { alias: 'a' })} returning ${APPROVAL_COLUMNS}`,
    [now, ...these.values],
  )
}

export async function nextExpiry(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(expires_at) as at from approvals where state = 'waiting' and ${isHere()}`,
  )
  return row?.at ?? null
}
