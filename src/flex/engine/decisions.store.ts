import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { PlanKey } from '../plans/plans.store.ts'

export type Decision = PlanKey & { instalmentId: string | null; decidedAt: Date; what: string; why: string }

const DECISIONS = new Table<Decision>('flex_decisions', {
  instituteId: 'int',
  planId: 'text',
  instalmentId: 'text',
  decidedAt: 'timestamptz',
  what: 'text',
  why: 'text',
})

export async function insertDecisions(tx: Transaction, decisions: readonly Decision[]): Promise<void> {
  await DECISIONS.insert(tx, decisions)
}

/** Newest first. */
export async function listDecisions(
  db: Queryable,
  { instituteId, planId }: PlanKey,
  limit: number,
): Promise<Decision[]> {
  return db.query<Decision>(
    `select ${DECISIONS.columns('d')} from flex_decisions d
     where d.institute_id = $1 and d.plan_id = $2 order by d.id desc limit $3`,
    [instituteId, planId, limit],
  )
}
