import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { PlanKey } from '../plans/plans.store.ts'

type PresentationState = 'presented' | 'debited' | 'bounced' | 'reversed'

type Presented = {
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

const PRESENTATIONS = new Table<Presented>('flex_presentations', {
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
export type Presentation = Omit<Presented, 'state' | 'returnCode' | 'endedAt'>

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

export type Ending = Pick<Presented, 'instituteId' | 'orderId' | 'state' | 'returnCode' | 'endedAt'>

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

export type PresentationRow = Pick<Presented, (typeof SHOWN)[number]>

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
