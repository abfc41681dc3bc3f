import { isHere } from '../../platform/db/query.ts'
import type { Database, Queryable } from '../../platform/db/database.ts'
import { updateDue } from '../../platform/jobs/claim.ts'
import { institutesOf } from '../../platform/db/named-rows.ts'
import type { PlanKey } from '../plans/plans.store.ts'

/** An instalment that this process looks at now. */
export type DueInstalment = PlanKey & { instalmentId: string }

const IS_FREE = `next_step_at <= $1 and (held_until is null or held_until < statement_timestamp())`
const HOLD = {
  set: `held_until = statement_timestamp() + interval '120 seconds'`,
  returning: `institute_id as "instituteId", plan_id as "planId", id as "instalmentId"`,
}
const DUE = { table: 'flex_instalments', where: IS_FREE, order: 'next_step_at' }

/**
 * Takes instalments whose moment has come, in the order of their moments. They are held in real time, whatever our
 * clock does meanwhile; saving one releases it, and a lease whose holder crashed expires.
 */
export async function claimSteps(db: Database, now: Date, limit: number): Promise<DueInstalment[]> {
  return updateDue(db, DUE, { now, limit }, HOLD)
}

/** Holds on to those that are still held; one that somebody saved meanwhile stays free. */
export async function holdSteps(db: Queryable, due: readonly DueInstalment[]): Promise<void> {
  await db.query(
    `update flex_instalments i set held_until = statement_timestamp() + interval '120 seconds'
     from unnest($1::int[], $2::text[]) as held (institute_id, id)
     where i.institute_id = held.institute_id and i.institute_id = any ($3::int[]) and i.id = held.id and i.held_until is not null`,
    [
      due.map(({ instituteId }) => instituteId),
      due.map(({ instalmentId }) => instalmentId),
      institutesOf(due),
    ],
  )
}

/** Looked at again at that moment, and free until then. */
export async function setAside(
  db: Queryable,
  { instituteId, instalmentId }: DueInstalment,
  until: Date,
): Promise<void> {
  await db.query(
    `update flex_instalments set next_step_at = $3, held_until = null where institute_id = $1 and id = $2`,
    [instituteId, instalmentId, until],
  )
}

export async function nextStepDue(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(next_step_at) as at from flex_instalments where next_step_at is not null and ${isHere()}`,
  )
  return row?.at ?? null
}
