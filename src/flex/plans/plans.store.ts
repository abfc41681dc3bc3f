import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { Instalment, Mandate, Plan, LoadedPlan } from '../rules/plan.rules.ts'
import type { DefaultPlan } from '../rules/schedule.rules.ts'

export type PlanKey = { instituteId: number; planId: string }

const PLAN = `p.institute_id as "instituteId", p.id, p.student_id as "studentId", p.collector_code as "collectorCode", p.state,
  p.is_held as "isHeld", p.lock_reason as "lockReason", p.product_name as "productName", o.name as "instituteName", p.is_custom as "isCustom", p.language,
  p.created_at as "createdAt", p.set_up_at as "setUpAt", p.fitted_to as "fittedTo", p.fitted_at as "fittedAt"`

const MANDATE = `m.institute_id as "instituteId", m.id, m.plan_id as "planId", m.provider, m.provider_ref as "providerRef", m.rail,
  m.state, m.umrn, m.upi_reference as "upiReference", m.cap_paise as "capPaise", m.start_on as "startOn", m.end_on as "endOn",
  m.npci_category as "npciCategory", m.redirect_url as "redirectUrl", m.created_at as "createdAt",
  m.authorised_at as "authorisedAt", m.next_check_at as "nextCheckAt", m.checks`

const INSTALMENT = `i.institute_id as "instituteId", i.plan_id as "planId", i.id, i.number, i.state,
  i.is_downpayment as "isDownpayment", i.due_on as "dueOn", i.present_on as "presentOn", i.reference_id as "referenceId",
  i.identifier, i.lines, i.attempt, i.bank_returns as "bankReturns", i.first_bank_return_at as "firstBankReturnAt",
  i.notified_at as "notifiedAt", i.presented_on as "presentedOn", i.return_code as "returnCode",
  i.fetch_tries as "fetchTries", i.order_id as "orderId", i.next_step_at as "nextStepAt"`

/** Plans with their newest mandate and their instalments; three statements, however many plans. */
export async function readFiles(db: Queryable, keys: readonly PlanKey[]): Promise<Map<string, LoadedPlan>> {
  const values = [keys.map(({ instituteId }) => instituteId), keys.map(({ planId }) => planId)]
  const ASKED = `unnest($1::int[], $2::text[]) as asked (institute_id, plan_id)`
  const plans = await db.query<Plan>(
    `select distinct on (p.institute_id, p.id) ${PLAN} from ${ASKED} join flex_plans p on p.institute_id = asked.institute_id and p.id = asked.plan_id
     join institutes o on o.id = p.institute_id
     order by p.institute_id, p.id`,
    values,
  )
  const mandates = await db.query<Mandate>(
    `select distinct on (m.institute_id, m.plan_id) ${MANDATE}
     from ${ASKED} join flex_mandates m on m.institute_id = asked.institute_id and m.plan_id = asked.plan_id
     order by m.institute_id, m.plan_id, m.created_at desc, m.id desc`,
    values,
  )
  const instalments = await db.query<Instalment>(
    `select distinct on (i.institute_id, i.plan_id, i.number) ${INSTALMENT} from ${ASKED}
     join flex_instalments i on i.institute_id = asked.institute_id and i.plan_id = asked.plan_id
     order by i.institute_id, i.plan_id, i.number`,
    values,
  )
  const files = new Map<string, LoadedPlan>(
    plans.map(plan => [plan.id, { plan, mandate: null, instalments: [] }]),
  )
  for (const mandate of mandates) {
    const file = files.get(mandate.planId)
    if (file !== undefined) file.mandate = mandate
  }
  for (const instalment of instalments) files.get(instalment.planId)?.instalments.push(instalment)
  return files
}

/** Whoever changes a plan or anything of it holds its row, in one order for all. */
export async function lockPlans(tx: Transaction, keys: readonly PlanKey[]): Promise<void> {
  await tx.query(
    `select 1 from flex_plans p join unnest($1::int[], $2::text[]) as asked (institute_id, plan_id)
       on p.institute_id = asked.institute_id and p.id = asked.plan_id
     order by p.institute_id, p.id for update of p`,
    [keys.map(({ instituteId }) => instituteId), keys.map(({ planId }) => planId)],
  )
}

/** In one order, those behind a plan; all of them when it is null. */
export async function listLivePlans(db: Queryable, after: PlanKey | null, limit: number): Promise<PlanKey[]> {
  return db.query<PlanKey>(
    `select institute_id as "instituteId", id as "planId" from flex_plans
     where state in ('setup', 'active', 'locked') and (institute_id, id) > ($1, $2)
     order by institute_id, id limit $3`,
    [after?.instituteId ?? 0, after?.planId ?? '', limit],
  )
}

/** Plans of one student are made one after the other: until there is one, there is no row to hold. */
export async function lockPlanning(tx: Transaction, instituteId: number, studentId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `flex plan of ${instituteId} ${studentId}`,
  ])
}

/** The live plan of a student, else the newest. */
export async function findPlanOf(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select id from flex_plans where institute_id = $1 and student_id = $2
     order by state in ('draft', 'setup', 'active', 'locked') desc, created_at desc, id desc limit 1`,
    [instituteId, studentId],
  )
  return row?.id ?? null
}

export async function insertPlan(tx: Transaction, plan: Plan): Promise<void> {
  await tx.query(
    `insert into flex_plans (institute_id, id, student_id, collector_code, state, product_name, is_custom, language, created_at,
       fitted_to, fitted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      plan.instituteId,
      plan.id,
      plan.studentId,
      plan.collectorCode,
      plan.state,
      plan.productName,
      plan.isCustom,
      plan.language,
      plan.createdAt,
      JSON.stringify(plan.fittedTo),
      plan.fittedAt,
    ],
  )
}

export async function savePlans(tx: Transaction, plans: readonly Plan[]): Promise<void> {
  await tx.query(
    `update flex_plans p set state = r."state", is_held = r."isHeld", lock_reason = r."lockReason", set_up_at = r."setUpAt",
       is_custom = r."isCustom", language = r."language", fitted_to = r."fittedTo", fitted_at = r."fittedAt"
     from jsonb_to_recordset($1::jsonb) as r ("instituteId" int, "id" text, "state" text, "isHeld" bool, "lockReason" text,
       "setUpAt" timestamptz, "isCustom" bool, "language" text, "fittedTo" jsonb, "fittedAt" timestamptz)
     where p.institute_id = r."instituteId" and p.id = r."id"`,
    [JSON.stringify(plans)],
  )
}

const INSTALMENT_RECORD = `("instituteId" int, "planId" text, "id" text, "number" int, "state" text, "isDownpayment" bool,
  "dueOn" date, "presentOn" date, "referenceId" text, "identifier" text, "lines" jsonb, "attempt" int, "bankReturns" int,
  "firstBankReturnAt" timestamptz, "notifiedAt" timestamptz, "presentedOn" date, "returnCode" text, "fetchTries" int,
  "orderId" text, "nextStepAt" timestamptz)`

/** New ones are inserted, known ones written whole; whoever held one lets go of it. */
export async function saveInstalments(tx: Transaction, instalments: readonly Instalment[]): Promise<void> {
  await tx.query(
    `insert into flex_instalments (institute_id, plan_id, id, number, state, is_downpayment, due_on, present_on, reference_id,
       identifier, lines, attempt, bank_returns, first_bank_return_at, notified_at, presented_on, return_code, fetch_tries,
       order_id, next_step_at)
     select * from jsonb_to_recordset($1::jsonb) as r ${INSTALMENT_RECORD}
     on conflict (institute_id, id) do update set state = excluded.state, due_on = excluded.due_on,
       present_on = excluded.present_on, reference_id = excluded.reference_id, identifier = excluded.identifier,
       lines = excluded.lines, attempt = excluded.attempt, bank_returns = excluded.bank_returns,
       first_bank_return_at = excluded.first_bank_return_at, notified_at = excluded.notified_at,
       presented_on = excluded.presented_on, return_code = excluded.return_code, fetch_tries = excluded.fetch_tries,
       order_id = excluded.order_id, next_step_at = excluded.next_step_at, held_until = null`,
    [JSON.stringify(instalments)],
  )
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

export async function saveMandates(tx: Transaction, mandates: readonly Mandate[]): Promise<void> {
  await tx.query(
    `insert into flex_mandates (institute_id, id, plan_id, provider, provider_ref, rail, state, umrn, upi_reference, cap_paise,
       start_on, end_on, npci_category, redirect_url, created_at, authorised_at, next_check_at, checks)
     select * from jsonb_to_recordset($1::jsonb) as r ("instituteId" int, "id" text, "planId" text, "provider" text,
       "providerRef" text, "rail" text, "state" text, "umrn" text, "upiReference" text, "capPaise" bigint, "startOn" date,
       "endOn" date, "npciCategory" text, "redirectUrl" text, "createdAt" timestamptz, "authorisedAt" timestamptz,
       "nextCheckAt" timestamptz, "checks" int)
     on conflict (institute_id, id) do update set provider_ref = excluded.provider_ref, state = excluded.state,
       umrn = excluded.umrn, upi_reference = excluded.upi_reference, npci_category = excluded.npci_category,
       redirect_url = excluded.redirect_url, authorised_at = excluded.authorised_at,
       next_check_at = excluded.next_check_at, checks = excluded.checks, held_until = null`,
    [JSON.stringify(mandates)],
  )
}

export type Decision = {
  instituteId: number
  planId: string
  instalmentId: string | null
  decidedAt: Date
  what: string
  why: string
}

export async function insertDecisions(tx: Transaction, decisions: readonly Decision[]): Promise<void> {
  await tx.query(
    `insert into flex_decisions (institute_id, plan_id, instalment_id, decided_at, what, why)
     select * from jsonb_to_recordset($1::jsonb)
       as r ("instituteId" int, "planId" text, "instalmentId" text, "decidedAt" timestamptz, "what" text, "why" text)`,
    [JSON.stringify(decisions)],
  )
}

/** A debit that came back and that nobody was told of. */
export type Bounce = PlanKey & {
  instalmentId: string
  kind: 'bounced' | 'reversed'
  amountPaise: Paise
  /** In words for the family. */
  reason: string
  returnedAt: Date
  tellAt: Date
}

export async function saveBounces(tx: Transaction, bounces: readonly Bounce[]): Promise<void> {
  await tx.query(
    `insert into flex_bounces (institute_id, plan_id, instalment_id, kind, amount_paise, reason, returned_at, tell_at)
     select * from jsonb_to_recordset($1::jsonb) as r ("instituteId" int, "planId" text, "instalmentId" text, "kind" text,
       "amountPaise" bigint, "reason" text, "returnedAt" timestamptz, "tellAt" timestamptz)
     on conflict (institute_id, instalment_id) do update set kind = excluded.kind, amount_paise = excluded.amount_paise,
       reason = excluded.reason, returned_at = excluded.returned_at, tell_at = least(flex_bounces.tell_at, excluded.tell_at)`,
    [JSON.stringify(bounces)],
  )
}

/** Newest first. */
export async function listDecisions(
  db: Queryable,
  { instituteId, planId }: PlanKey,
  limit: number,
): Promise<Decision[]> {
  return db.query<Decision>(
    `select institute_id as "instituteId", plan_id as "planId", instalment_id as "instalmentId", decided_at as "decidedAt",
       what, why
     from flex_decisions where institute_id = $1 and plan_id = $2 order by id desc limit $3`,
    [instituteId, planId, limit],
  )
}

export type FlexSettings = DefaultPlan & { productName: string }

export async function readSettings(db: Queryable, instituteId: number): Promise<FlexSettings | null> {
  const [row] = await db.query<FlexSettings>(
    `select product_name as "productName", instalments, day_of_month as "dayOfMonth",
       downpayment_percent as "downpaymentPercent"
     from flex_settings where institute_id = $1`,
    [instituteId],
  )
  return row ?? null
}

export async function saveSettings(
  tx: Transaction,
  instituteId: number,
  settings: FlexSettings,
): Promise<void> {
  await tx.query(
    `insert into flex_settings (institute_id, product_name, instalments, day_of_month, downpayment_percent)
     values ($1, $2, $3, $4, $5)
     on conflict (institute_id) do update set product_name = excluded.product_name, instalments = excluded.instalments,
       day_of_month = excluded.day_of_month, downpayment_percent = excluded.downpayment_percent`,
    [
      instituteId,
      settings.productName,
      settings.instalments,
      settings.dayOfMonth,
      settings.downpaymentPercent,
    ],
  )
}
