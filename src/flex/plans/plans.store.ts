import { institutesOf, isHere, nameRows } from '../../platform/db/query.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Instalment, LoadedPlan, Mandate, Plan } from '../rules/plan.rules.ts'

export type PlanKey = { instituteId: number; planId: string }

type PlanRow = Omit<Plan, 'instituteName' | 'instituteCode' | 'isReplaced' | 'language'>

const PLANS = new Table<PlanRow>('flex_plans', {
  instituteId: 'int',
  id: 'text',
  studentId: 'text',
  collectorCode: 'text',
  state: 'text',
  isHeld: 'boolean',
  heldBy: 'text',
  lockReason: 'text',
  productName: 'text',
  isCustom: 'boolean',
  isDefault: 'boolean',
  createdAt: 'timestamptz',
  setUpAt: 'timestamptz',
  fittedTo: 'jsonb',
  fittedAt: 'timestamptz',
  outsidePaise: 'bigint',
  revivableUntil: 'timestamptz',
})

const MANDATES = new Table<Mandate>('flex_mandates', {
  instituteId: 'int',
  id: 'text',
  planId: 'text',
  provider: 'text',
  accountId: 'text',
  providerRef: 'text',
  rail: 'text',
  state: 'text',
  umrn: 'text',
  upiReference: 'text',
  capPaise: 'bigint',
  startOn: 'date',
  endOn: 'date',
  isAnnounced: 'boolean',
  npciCategory: 'text',
  redirectUrl: 'text',
  createdAt: 'timestamptz',
  authorisedAt: 'timestamptz',
  nextCheckAt: 'timestamptz',
  checks: 'int',
  isPaused: 'boolean',
  chargeComponents: 'jsonb',
  payerPausedAt: 'timestamptz',
})

/** What became of the money is read from its payment. */
const INSTALMENTS = new Table<Omit<Instalment, 'refundedPaise' | 'settlementId' | 'settlementUtr'>>(
  'flex_instalments',
  {
    instituteId: 'int',
    planId: 'text',
    id: 'text',
    number: 'int',
    state: 'text',
    isDownpayment: 'boolean',
    dueOn: 'date',
    presentOn: 'date',
    referenceId: 'text',
    identifier: 'text',
    lines: 'jsonb',
    planned: 'jsonb',
    attempt: 'int',
    bankReturns: 'int',
    firstBankReturnAt: 'timestamptz',
    notifiedAt: 'timestamptz',
    announcedRef: 'text',
    announcedFor: 'timestamptz',
    presentedOn: 'date',
    returnCode: 'text',
    fetchTries: 'int',
    orderId: 'text',
    nextStepAt: 'timestamptz',
    isCharge: 'boolean',
    chargeReason: 'text',
    stoppedAt: 'timestamptz',
  },
)

/** Every table also says `= any ($3)`, so that only rows of these institutes are read however they are joined. */
const KEYS = `unnest($1::int[], $2::text[]) as asked (institute_id, plan_id)`

function toArrays(keys: readonly PlanKey[]): [number[], string[], number[]] {
  return [keys.map(({ instituteId }) => instituteId), keys.map(({ planId }) => planId), institutesOf(keys)]
}

const LOAD_PLANS = `select distinct on (p.institute_id, p.id) ${PLANS.columns('p')}, o.name as "instituteName", o.code as "instituteCode",
    coalesce(f.language, o.family_language, 'en') as language,
    exists (select 1 from flex_plans n where n.institute_id = p.institute_id and n.institute_id = any ($3::int[])
      and n.student_id = p.student_id and n.created_at > p.created_at) as "isReplaced"
  from ${KEYS} join flex_plans p on p.institute_id = asked.institute_id and p.id = asked.plan_id
  join institutes o on o.id = p.institute_id
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  left join family_languages f on f.institute_id = p.institute_id and f.institute_id = any ($3::int[])
    and f.family = phone_key(s.primary_contact_number)
  where p.institute_id = any ($3::int[]) and s.institute_id = any ($3::int[])
  order by p.institute_id, p.id`

const LOAD_MANDATES = `select distinct on (m.institute_id, m.plan_id) ${MANDATES.columns('m')}
  from ${KEYS} join flex_mandates m on m.institute_id = asked.institute_id and m.plan_id = asked.plan_id
  where m.institute_id = any ($3::int[])
  order by m.institute_id, m.plan_id, m.created_at desc, m.id desc`

const LOAD_INSTALMENTS = `select distinct on (i.institute_id, i.plan_id, i.number) ${INSTALMENTS.columns('i')},
    coalesce(money.refunded, 0) as "refundedPaise", money.settlement_id as "settlementId", money.utr as "settlementUtr"
  from ${KEYS} join flex_instalments i on i.institute_id = asked.institute_id and i.plan_id = asked.plan_id
  left join lateral (
    select p.settlement_id, s.utr, (select sum(r.amount_paise - r.charged_paise)::bigint from refunds r
        where r.institute_id = p.institute_id and r.institute_id = any ($3::int[]) and r.payment_id = p.id and r.kind = 'requested' and r.state <> 'failed') as refunded
    from payments p
    left join settlements s on s.institute_id = p.institute_id and s.institute_id = any ($3::int[]) and s.id = p.settlement_id
    where p.institute_id = i.institute_id and p.institute_id = any ($3::int[]) and p.order_id = i.order_id
      and p.state = 'captured' and not p.is_duplicate and i.state in ('debited', 'settled')) money on true
  where i.institute_id = any ($3::int[])
  order by i.institute_id, i.plan_id, i.number`

/** Plans with their newest mandate and their instalments; three statements, however many plans. */
export async function loadPlans(db: Queryable, keys: readonly PlanKey[]): Promise<Map<string, LoadedPlan>> {
  const values = toArrays(keys)
  const plans = await db.query<Plan>(LOAD_PLANS, values)
  const mandates = await db.query<Mandate>(LOAD_MANDATES, values)
  const instalments = await db.query<Instalment>(LOAD_INSTALMENTS, values)
  const mandateOf = new Map(mandates.map(mandate => [mandate.planId, mandate]))
  const instalmentsOf = Map.groupBy(instalments, one => one.planId)
  return new Map(
    plans.map(plan => [
      plan.id,
      { plan, mandate: mandateOf.get(plan.id) ?? null, instalments: instalmentsOf.get(plan.id) ?? [] },
    ]),
  )
}

/** Every change of a plan locks its row first, in the same order everywhere. */
export async function lockPlans(tx: Transaction, keys: readonly PlanKey[]): Promise<void> {
  if (keys.length === 0) return
  const these = nameRows(
    keys.map(({ instituteId, planId }) => ({ instituteId, id: planId })),
    1,
  )
  await tx.query(
    `select 1 from flex_plans p where ${these.match('p')} order by p.institute_id, p.id for update`,
    these.values,
  )
}

/** Set up and not closed for good. In one order, those behind a plan; all of them when it is null. */
export async function listLivePlans(
  db: Database,
  now: Date,
  after: PlanKey | null,
  limit: number,
): Promise<PlanKey[]> {
  return await db.query<PlanKey>(
    `select institute_id as "instituteId", id as "planId" from flex_plans
     where (state in ('setup', 'active', 'locked') or state = 'closed' and revivable_until > $4)
       and (institute_id, id) > ($1, $2) and ${isHere()}
     order by institute_id, id limit $3`,
    [after?.instituteId ?? 0, after?.planId ?? '', limit, now],
  )
}

/** One mandate, whether or not it is the newest of its plan. */
export async function loadMandate(
  db: Queryable,
  { instituteId, id }: { instituteId: number; id: string },
): Promise<Mandate | null> {
  const [row] = await db.query<Mandate>(
    `select ${MANDATES.columns('m')} from flex_mandates m where m.institute_id = $1 and m.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Plans of one student are made one after the other: until there is one, there is no row to lock. */
export async function lockPlanning(tx: Transaction, instituteId: number, studentId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `flex plan of ${instituteId} ${studentId}`,
  ])
}

/** The live plan of each student, else its newest. */
export async function findPlansOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<PlanKey[]> {
  return db.query<PlanKey>(
    `select distinct on (student_id) institute_id as "instituteId", id as "planId" from flex_plans
     where institute_id = $1 and student_id = any($2)
     order by student_id, state in ('draft', 'setup', 'active', 'locked') desc, created_at desc, id desc`,
    [instituteId, studentIds],
  )
}

/** Keeps the students who pay by a plan, or are about to. */
export async function listStudentsWithPlan(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ studentId: string }>(
    `select distinct student_id as "studentId" from flex_plans
     where institute_id = $1 and student_id = any($2) and state in ('setup', 'active', 'locked')`,
    [instituteId, studentIds],
  )
  return rows.map(({ studentId }) => studentId)
}

/** All plans that a student ever had, newest first. */
export async function listPlanKeys(
  db: Queryable,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<PlanKey[]> {
  return db.query<PlanKey>(
    `select institute_id as "instituteId", id as "planId" from flex_plans
     where institute_id = $1 and student_id = $2 order by created_at desc, id desc limit $3`,
    [instituteId, studentId, limit],
  )
}

const REPLACE = 'on conflict (institute_id, id) do update set'

const REPLACE_PLAN = `${REPLACE} ${PLANS.excluded([
  ...(['state', 'isHeld', 'lockReason', 'setUpAt', 'isCustom', 'fittedTo', 'fittedAt'] as const),
  ...(['heldBy', 'outsidePaise', 'revivableUntil', 'isDefault', 'collectorCode'] as const),
])}`

/** New ones are inserted; of a known one the student and the product stay. */
export async function savePlans(tx: Transaction, plans: readonly Plan[]): Promise<void> {
  await PLANS.insert(tx, plans, { onConflict: REPLACE_PLAN })
}

const REPLACE_INSTALMENT = `${REPLACE} held_until = null, ${INSTALMENTS.excluded([
  ...([
    'state',
    'dueOn',
    'presentOn',
    'referenceId',
    'identifier',
    'lines',
    'planned',
    'attempt',
    'bankReturns',
  ] as const),
  ...(['firstBankReturnAt', 'notifiedAt', 'presentedOn', 'returnCode', 'fetchTries', 'orderId'] as const),
  ...(['announcedRef', 'announcedFor', 'nextStepAt', 'stoppedAt'] as const),
])}`

/** New ones are inserted, known ones written whole; a lease on one is released. */
export async function saveInstalments(tx: Transaction, instalments: readonly Instalment[]): Promise<void> {
  await INSTALMENTS.insert(tx, instalments, { onConflict: REPLACE_INSTALMENT })
}

/** Only of a draft: what was set up is kept for good. */
export async function deleteDraftInstalments(
  tx: Transaction,
  instituteId: number,
  planId: string,
): Promise<void> {
  await tx.query(
    `delete from flex_instalments i using flex_plans p
     where i.institute_id = $1 and i.plan_id = $2 and p.institute_id = $1 and p.id = $2 and p.state = 'draft'`,
    [instituteId, planId],
  )
}

const REPLACE_MANDATE = `${REPLACE} held_until = null, ${MANDATES.excluded([
  ...([
    'providerRef',
    'state',
    'umrn',
    'upiReference',
    'npciCategory',
    'redirectUrl',
    'authorisedAt',
  ] as const),
  ...(['nextCheckAt', 'checks', 'isPaused', 'chargeComponents', 'payerPausedAt'] as const),
])}`

/** Keeps their order: a mandate that replaces another comes after it, because a plan has one live mandate. */
export async function saveMandates(tx: Transaction, mandates: readonly Mandate[]): Promise<void> {
  await MANDATES.insert(tx, mandates, { onConflict: REPLACE_MANDATE })
}
