import type { Institute } from '../../institutes/institutes.rules.ts'
import { openOrder } from '../../payments/debits/debits.service.ts'
import type { ProviderName } from '../../providers/port.ts'
import { mandatesOf } from '../../payments/context.ts'
import { dayOf } from '../../platform/calendar.ts'
import { conflict, notFound, unavailable } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { paiseOf, ZERO, type Paise } from '../../platform/money.ts'
import type { ScheduleRow as SentRow } from '../../erp/erp.rules.ts'
import { pullStudent, type Pulled } from '../../erp/pull/pull.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { Desk } from '../plans/plan-changes.ts'
import type { FlexContext } from '../context.ts'
import { lockPlans, readFiles, type PlanKey } from '../plans/plans.store.ts'
import { orderFor } from '../../orders/student-order.ts'
import { cancelAtProvider } from './provider-cancel.ts'
import { isDueOnline, isOpen, type Mandate, type LoadedPlan } from '../rules/plan.rules.ts'
import { createPlan, getPlan } from '../plans/plans.service.ts'
import type { PlanScene } from '../notices/withdraw-notice.ts'
import { addDays, type Rail } from '../rules/rails.rules.ts'
import { refit } from '../plans/rebalance.ts'
import { rowsToSetUp, sumLines, totalsOf, type ScheduleRow } from '../rules/schedule.rules.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'

/**
 * The parent sets a plan up: sees the schedule as the ERP has it now, pays the down payment if there is one, chooses how to
 * be debited, and authorises the mandate at the bank. Nothing is set up before that yes.
 */
export type SetupView =
  | { kind: 'ready'; scene: PlanScene }
  /** The ERP's own words, which can be shown to people. */
  | { kind: 'refused'; message: string }
  | { kind: 'try_later' }

/** Asks the ERP first; a draft is brought up to date with what it says. */
export async function openSetup(flex: FlexContext, institute: Institute, planId: string): Promise<SetupView> {
  const file = await getPlan(flex, institute, planId)
  const { studentId } = file.plan
  if (file.plan.state !== 'draft') return { kind: 'ready', scene: await sceneOf(flex, file) }
  const pulled = await pullStudent(flex, { instituteId: institute.id, studentId, reason: 'flex_setup' })
  if (pulled.kind === 'refused') return { kind: 'refused', message: pulled.message }
  if (pulled.kind === 'unavailable') return { kind: 'try_later' }
  const { student } = (await sceneOf(flex, file)).student
  if (student.status === 'dropped') return { kind: 'refused', message: 'This student has left the school.' }
  await refreshDraft(flex, institute, file, pulled)
  return { kind: 'ready', scene: await sceneOf(flex, await getPlan(flex, institute, planId)) }
}

/**
 * A draft follows the ERP: its own schedule replaces the draft, other amounts refit it. Once a down payment is being paid
 * it stays as it is.
 */
async function refreshDraft(
  flex: FlexContext,
  institute: Institute,
  file: LoadedPlan,
  pulled: Pulled,
): Promise<void> {
  if (file.instalments.some(({ isDownpayment, orderId }) => isDownpayment && orderId !== null)) return
  const sent = pulled.kind === 'found' && pulled.isCustomSchedule ? pulled.paymentSchedule : null
  const key = { instituteId: institute.id, planId: file.plan.id }
  if (sent === null) return refitDraft(flex, key, pulled.kind === 'found')
  const rows = rowsToSetUp(sent.map(toScheduleRow), dayOf(flex.clock.now()))
  if (file.plan.isCustom && isSameSchedule(file, rows)) return
  const { studentId } = file.plan
  await createPlan(flex, { instituteId: institute.id }, institute, { studentId, rows, isFromErp: true })
}

function toScheduleRow(row: SentRow): ScheduleRow {
  return {
    dueOn: row.dueDate,
    isDownpayment: row.isDownpayment,
    referenceId: row.referenceId,
    identifier: row.identifier,
    lines: row.details.map(({ componentType, amountPaise }) => ({ componentType, amountPaise })),
  }
}

async function refitDraft(flex: FlexContext, key: PlanKey, isOurs: boolean): Promise<void> {
  await flex.db.transaction(async tx => {
    await lockPlans(tx, [key])
    const file = (await readFiles(tx, [key])).get(key.planId)
    if (file === undefined || file.plan.state !== 'draft') return
    const { instituteId, studentId } = file.plan
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    if (student === undefined) return
    const desk = new Desk(flex.clock.now())
    // The institute has done with schedules of its own.
    if (isOurs) desk.changePlan(file, { isCustom: false })
    refit(desk, file, student)
    await desk.write(tx)
  })
}

function isSameSchedule({ instalments }: LoadedPlan, rows: readonly ScheduleRow[]): boolean {
  const known = new Set(instalments.map(textOf))
  return instalments.length === rows.length && rows.every(row => known.has(textOf(row)))
}

function textOf({ dueOn, isDownpayment, referenceId, identifier, lines }: ScheduleRow): string {
  const amounts = [...totalsOf(lines)].map(([type, amount]) => `${type} ${amount}`).sort()
  return JSON.stringify([dueOn, isDownpayment, referenceId, identifier, amounts])
}

async function sceneOf(flex: FlexContext, file: LoadedPlan): Promise<PlanScene> {
  const { instituteId, studentId } = file.plan
  const student = (await readStudentContexts(flex.db, [{ instituteId, studentId }])).get(studentId)
  if (student === undefined) throw notFound('This student')
  return { file, student }
}

/** What one debit may take at most: room above the largest instalment, so that a small rise needs no new mandate. */
export function capFor(file: LoadedPlan, limitPaise: Paise): Paise {
  const HUNDRED_RUPEES = 100_00
  const roomy = Math.ceil((largestOf(file) * 1.25) / HUNDRED_RUPEES) * HUNDRED_RUPEES
  return paiseOf(Math.min(roomy, limitPaise))
}

/** The rails on which every instalment of the plan can be debited. */
export async function railsFor(flex: FlexContext, file: LoadedPlan): Promise<Rail[]> {
  const { rules } = await readDebitRules(flex)
  return (['upi_autopay', 'enach'] as const).filter(rail => largestOf(file) <= rules.rails[rail].limitPaise)
}

/** The order of the down payment that is still to be paid, made when it is first asked for; null when none is. */
export async function downpaymentOrder(
  flex: FlexContext,
  key: PlanKey,
  callbackUrl: string,
): Promise<string | null> {
  return flex.db.transaction(async tx => {
    await lockPlans(tx, [key])
    const file = (await readFiles(tx, [key])).get(key.planId)
    const down = file?.instalments.find(({ isDownpayment }) => isDownpayment)
    if (file === undefined || down === undefined || down.state !== 'scheduled') return null
    if (down.orderId !== null) return down.orderId
    const { instituteId, studentId } = file.plan
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    if (student === undefined) throw notFound('This student')
    const desk = new Desk(flex.clock.now())
    const order = orderFor(student.student, {
      kind: 'downpayment',
      lines: down.lines,
      at: desk.now,
      callbackUrl,
    })
    await openOrder(tx, { instituteId, order, studentId })
    desk.change(file, down, { orderId: order.id })
    await desk.write(tx)
    return order.id
  })
}

const VALID_DAYS_AFTER = 90

/** Begins a mandate at the provider, or takes up the one that is pending; answers where the payer authorises it. */
export async function startMandate(
  flex: FlexContext,
  key: PlanKey,
  asked: { rail: Rail; language: 'en' | 'hi'; returnUrl: string; consent?: string },
): Promise<string> {
  const provider = flex.currentProvider
  if (provider === null || flex.providers.get(provider)?.mandates === undefined)
    throw conflict('Instalments by mandate are not set up for this installation.')
  const { mandate, scene, replaced } = await openMandate(flex, key, { ...asked, provider })
  if (replaced !== null) await cancelAtProvider(flex, replaced)
  if (mandate.redirectUrl !== null) return mandate.redirectUrl
  const { student } = scene.student
  const started = await mandatesOf(flex, provider).register({
    instituteId: mandate.instituteId,
    mandateId: mandate.id,
    rail: mandate.rail,
    capPaise: mandate.capPaise,
    startOn: mandate.startOn,
    endOn: mandate.endOn,
    payer: { name: student.contactName, phone: student.contactNumber, email: student.contactEmail },
    description: `Fees for ${student.fullname}`,
    returnUrl: asked.returnUrl,
  })
  await recordStarted(flex, key, mandate.id, started)
  return started.redirectUrl
}

type MandateWish = { rail: Rail; language: 'en' | 'hi'; provider: ProviderName; consent?: string }

async function openMandate(
  flex: FlexContext,
  key: PlanKey,
  { rail, language, provider, consent }: MandateWish,
): Promise<{ mandate: Mandate; scene: PlanScene; replaced: Mandate | null }> {
  const rails = await railsFor(flex, await requireFile(flex, key))
  if (!rails.includes(rail))
    throw conflict('An instalment of this plan is above what this way of debiting allows.')
  return flex.db.transaction(async tx => {
    await lockPlans(tx, [key])
    const file = (await readFiles(tx, [key])).get(key.planId)
    if (file === undefined) throw notFound('This plan')
    refuseUnlessOpen(file)
    const { instituteId, studentId } = file.plan
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    if (student === undefined) throw notFound('This student')
    const debitRules = await readDebitRules(flex, tx)
    const desk = new Desk(debitRules.now)
    desk.changePlan(file, { language })
    const { mandate: known } = file
    if (known?.state === 'pending' && known.rail === rail && known.authorisedAt === null) {
      await desk.write(tx)
      return { mandate: known, scene: { file, student }, replaced: null }
    }
    if (known?.state === 'pending') {
      desk.moveMandate(file, 'cancelled', 'the payer chose another way', { nextCheckAt: null })
      await desk.write(tx)
    }
    const next = new Desk(debitRules.now)
    const mandate = next.putMandate(
      file,
      newMandate(file, {
        rail,
        provider,
        at: debitRules.now,
        limit: debitRules.rules.rails[rail].limitPaise,
      }),
    )
    next.changePlan(file, { language })
    if (consent !== undefined) next.note(file, null, 'consent', consent)
    await next.write(tx)
    return { mandate, scene: { file, student }, replaced: known?.state === 'pending' ? known : null }
  })
}

function refuseUnlessOpen(file: LoadedPlan): void {
  const { state } = file.plan
  if (state === 'active' || file.mandate?.state === 'active') throw conflict('This plan is set up already.')
  if (state === 'cancelled' || state === 'closed') throw conflict(`This plan is ${state}.`)
  if (file.mandate?.state === 'pending' && file.mandate.authorisedAt !== null)
    throw conflict('The mandate is authorised; the bank is confirming it.')
  if (file.instalments.some(({ isDownpayment, state: one }) => isDownpayment && one === 'scheduled'))
    throw conflict('The down payment comes first.')
}

function newMandate(
  file: LoadedPlan,
  { rail, provider, at, limit }: { rail: Rail; provider: ProviderName; at: Date; limit: Paise },
): Mandate {
  const last = file.instalments.reduce((latest, one) => (one.dueOn > latest ? one.dueOn : latest), dayOf(at))
  return {
    instituteId: file.plan.instituteId,
    id: newId('mdt'),
    planId: file.plan.id,
    provider,
    providerRef: null,
    rail,
    state: 'pending',
    umrn: null,
    upiReference: null,
    capPaise: capFor(file, limit),
    startOn: dayOf(at),
    endOn: addDays(last, VALID_DAYS_AFTER),
    npciCategory: null,
    redirectUrl: null,
    createdAt: at,
    authorisedAt: null,
    nextCheckAt: new Date(at.getTime() + 120_000),
    checks: 0,
  }
}

async function recordStarted(
  flex: FlexContext,
  key: PlanKey,
  mandateId: string,
  started: { providerRef: string; redirectUrl: string },
): Promise<void> {
  await flex.db.transaction(async tx => {
    await lockPlans(tx, [key])
    const file = (await readFiles(tx, [key])).get(key.planId)
    if (file?.mandate?.id !== mandateId) throw unavailable('The plan changed at this moment. Please retry.')
    const desk = new Desk(flex.clock.now())
    desk.putMandate(file, { ...file.mandate, ...started })
    await desk.write(tx)
  })
}

async function requireFile(flex: FlexContext, key: PlanKey): Promise<LoadedPlan> {
  const file = (await readFiles(flex.db, [key])).get(key.planId)
  if (file === undefined) throw notFound('This plan')
  return file
}

/** The largest single debit that is still to come. */
function largestOf(file: LoadedPlan): Paise {
  const debits = file.instalments.filter(one => !one.isDownpayment)
  const open = debits.filter(one => isOpen(one) && !isDueOnline(one))
  const amounts = (open.length > 0 ? open : debits).map(one => sumLines(one.lines))
  return amounts.reduce((most, amount) => (amount > most ? amount : most), ZERO)
}
