import { institutesOf, isHere } from '../../platform/db/query.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { updateDue } from '../../platform/jobs/due-rows.ts'
import type { PlanKey } from '../plans/plans.store.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'

/** An instalment that this process looks at now. */
export type DueInstalment = PlanKey & { instalmentId: string }

const IS_FREE = `next_step_at <= $1 and (held_until is null or held_until < statement_timestamp())`
const HOLD = {
  set: `held_until = statement_timestamp() + interval '120 seconds'`,
  returning: `institute_id as "instituteId", plan_id as "planId", id as "instalmentId"`,
  isHold: true,
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

type PresentationState = 'presented' | 'debited' | 'bounced' | 'reversed'

type StoredPresentation = {
  instituteId: number
  instalmentId: string
  presentation: number
  orderId: string
  mandateId: string
  amountPaise: Paise
  presentedAt: Date
  state: PresentationState
  returnCode: string | null
  endedAt: Date | null
}

const PRESENTATIONS = new Table<StoredPresentation>('flex_presentations', {
  instituteId: 'int',
  instalmentId: 'text',
  presentation: 'int',
  orderId: 'text',
  mandateId: 'text',
  amountPaise: 'bigint',
  presentedAt: 'timestamptz',
  state: 'text',
  returnCode: 'text',
  endedAt: 'timestamptz',
})

/** One that the bank has not decided on. */
export type Presentation = Omit<StoredPresentation, 'state' | 'returnCode' | 'endedAt'>

export async function insertPresentations(
  tx: Transaction,
  presentations: readonly Presentation[],
): Promise<void> {
  const rows = presentations.map(one => ({
    ...one,
    state: 'presented' as const,
    returnCode: null,
    endedAt: null,
  }))
  await PRESENTATIONS.insert(tx, rows)
}

export type Ending = Pick<StoredPresentation, 'instituteId' | 'orderId' | 'state' | 'returnCode' | 'endedAt'>

export async function endPresentations(tx: Transaction, ended: readonly Ending[]): Promise<void> {
  await PRESENTATIONS.update(tx, ended, {
    key: ['instituteId', 'orderId'],
    set: ['state', 'returnCode', 'endedAt'],
  })
}

/** The instalments that these orders were made for: presentations and down payments. */
export async function findByOrders(
  db: Queryable,
  instituteId: number,
  orderIds: readonly string[],
): Promise<(PlanKey & { instalmentId: string; orderId: string; mandateId: string | null })[]> {
  return db.query(
    `select i.institute_id as "instituteId", i.plan_id as "planId", i.id as "instalmentId", o.id as "orderId",
       (select p.mandate_id from flex_presentations p where p.institute_id = $1 and p.order_id = o.id) as "mandateId"
     from unnest($2::text[]) as o (id)
     join flex_instalments i on i.institute_id = $1 and (i.order_id = o.id
       or i.id = (select p.instalment_id from flex_presentations p where p.institute_id = $1 and p.order_id = o.id))`,
    [instituteId, orderIds],
  )
}

const SHOWN = ['instalmentId', 'presentation', 'amountPaise', 'presentedAt', 'state', 'returnCode'] as const

export type PresentationRow = Pick<StoredPresentation, (typeof SHOWN)[number]>

/** Oldest first. */
export async function listPresentations(
  db: Queryable,
  { instituteId, planId }: PlanKey,
): Promise<PresentationRow[]> {
  return db.query<PresentationRow>(
    `select ${PRESENTATIONS.columns('p', SHOWN)}
     from flex_presentations p join flex_instalments i on i.institute_id = p.institute_id and i.id = p.instalment_id
     where p.institute_id = $1 and i.plan_id = $2 order by p.presented_at, p.presentation`,
    [instituteId, planId],
  )
}

/** Null when there is no such instalment. */
export async function findInstalmentOrder(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<{ orderId: string | null } | null> {
  const [row] = await db.query<{ orderId: string | null }>(
    `select order_id as "orderId" from flex_instalments where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

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
