import { type MandateChange, type MandateReport, ProviderRefused } from '../../providers/port.ts'
import { mandatesOf, type ReportOutcome } from '../../payments/context.ts'
import { assertNever } from '../../platform/assert.ts'
import { DAY_MS, dayOf, addDays } from '../../platform/calendar.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processDue } from '../../platform/jobs/due-rows.ts'
import type { FlexContext } from '../context.ts'
import {
  cancelAtProvider,
  endMandate,
  endMandateAtProvider,
  expireMandate,
  MANDATE_ENDED,
} from './end-mandate.ts'
import { findByProviderRef, findMandate, mandatesToCheck, type MandateKey } from './mandates.store.ts'
import type { PlanChanges } from '../plans/plan-changes.service.ts'
import { loadMandate, loadPlans } from '../plans/plans.store.ts'
import { withPlan } from '../plans/with-plans.service.ts'
import { isChargeAgreed, withholdCharge } from '../rules/charge.rules.ts'
import { presentationDay } from '../rules/debit.rules.ts'
import { followPauseOfPayer } from '../rules/hold.rules.ts'
import {
  isMandateLive,
  isRevivable,
  isToCome,
  type Mandate,
  isAtBank,
  isPauseDue,
  type LoadedPlan,
} from '../rules/plan.rules.ts'
import { momentOf } from '../rules/rails.rules.ts'
import { isUnavailable } from '../../platform/errors.ts'

/** Applies what a provider says of a mandate through its account, however often and in whatever order it says it. */
export async function applyMandateReport(
  ctx: FlexContext,
  report: MandateReport | MandateChange,
  through: string,
): Promise<ReportOutcome> {
  if (report.about === 'mandate_change') return askAboutChange(ctx, report, through)
  const found = await findMandate(ctx.db, report.instituteId, report.mandateId)
  if (found === null) return 'unknown'
  const { accountId, ...key } = found
  if (accountId !== through) return 'foreign'
  await withPlan(ctx, key, plan => {
    // One that was replaced by another has nothing more to say.
    if (plan.mandate?.id === report.mandateId) applyReport(plan, report)
  })
  return 'applied'
}

/** Only the provider knows what has changed; it is asked about each mandate of the account that goes by this name. */
async function askAboutChange(
  ctx: FlexContext,
  { providerRef }: MandateChange,
  through: string,
): Promise<ReportOutcome> {
  const keys = await findByProviderRef(ctx.db, through, providerRef)
  for (const key of keys) {
    const mandate = await loadMandate(ctx.db, key)
    if (mandate === null || !isMandateLive(mandate)) continue
    await applyMandateReport(ctx, await askProvider(ctx, mandate), through)
  }
  return keys.length > 0 ? 'applied' : 'unknown'
}

async function askProvider(ctx: FlexContext, mandate: Mandate): Promise<MandateReport> {
  const { instituteId, id: mandateId, providerRef } = mandate
  return (await mandatesOf(ctx, mandate)).status({ instituteId, mandateId, providerRef })
}

function applyReport(plan: PlanChanges, { outcome, providerRef }: MandateReport): void {
  const mandate = plan.requireMandate()
  switch (outcome.kind) {
    case 'open':
      return
    case 'authorised':
    case 'active':
      if (mandate.state === 'active' && outcome.kind === 'active')
        return followPauseOfPayer(plan, outcome.isPausedByPayer)
      if (mandate.state !== 'pending') return
      plan.changeMandate({
        umrn: outcome.umrn ?? mandate.umrn,
        upiReference: outcome.upiReference ?? mandate.upiReference,
        providerRef: providerRef || mandate.providerRef,
      })
      if (mandate.authorisedAt === null) authorise(plan)
      if (outcome.kind === 'active') activate(plan)
      return
    case 'rejected':
      if (mandate.state === 'pending')
        plan.moveMandate('rejected', `${outcome.code}: ${outcome.message}`, { nextCheckAt: null })
      return
    case 'cancelled':
      return endMandate(plan, outcome.code)
    case 'expired':
      if (mandate.state === 'active') expireMandate(plan)
      return
    default:
      assertNever(outcome)
  }
}

/** The payer has said yes. */
function authorise(plan: PlanChanges): void {
  const mandate = plan.requireMandate()
  plan.changeMandate({ authorisedAt: plan.now })
  plan.note(null, 'mandate authorised', 'by the payer at the bank')
  if (plan.plan.state !== 'draft') return
  plan.movePlan('setup', 'the payer has authorised it', { setUpAt: plan.now })
  plan.recordEvent('flex.subscription.setup', { mandate })
  const { outsidePaise } = plan.plan
  plan.notifyFamily('set_up', { onlinePaise: outsidePaise })
}

/** The bank confirms that it can be debited: every instalment gets its day. */
function activate(plan: PlanChanges): void {
  const nextCheckAt = momentOf(addDays(plan.requireMandate().endOn, 1), 0)
  const mandate = plan.moveMandate('active', 'confirmed by the bank', { nextCheckAt })
  const before = plan.snapshot()
  const why = 'its mandate can be debited'
  if (plan.plan.state === 'setup') plan.movePlan('active', why)
  else if (plan.plan.lockReason === MANDATE_ENDED) plan.unlock(why)
  plan.recordEvent('flex.subscription.active', { mandate })
  const setUpOn = dayOf(mandate.authorisedAt ?? plan.now)
  const takenDays = new Set(
    plan.instalments.filter(one => one.state === 'presented').map(one => one.presentOn),
  )
  // Instalments that bounced under the earlier mandate are presented again under this one.
  const waiting = plan.instalments.filter(
    one => (isToCome(one) || one.state === 'bounced') && !one.isDownpayment,
  )
  for (const instalment of waiting.toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))) {
    if (instalment.state === 'confirmed') throw new Error('a notice outlived its mandate')
    if (!isChargeAgreed(instalment, mandate)) {
      withholdCharge(plan, instalment, 'the new mandate does not allow charges of this kind')
      continue
    }
    const { rules, holidays } = plan.debitRules
    const presentOn = presentationDay(instalment.dueOn, {
      setUpOn,
      rail: plan.rail,
      rules,
      holidays,
      takenDays,
    })
    takenDays.add(presentOn)
    const change = { presentOn, notifiedAt: null, fetchTries: 0, nextStepAt: plan.now }
    if (instalment.state === 'bounced') plan.move(instalment, 'scheduled', 'there is a new mandate', change)
    else plan.change(instalment, change)
  }
  plan.recordSchedule(before)
}

const CHECK_AGAIN_MINUTES = [2, 5, 15, 60, 240, 720]
const GIVE_UP_DAYS = 15

/** Asks about mandates that nothing was heard of, and ends those that are past their time. */
export function checkMandates(ctx: FlexContext): Run {
  return processDue(ctx, mandatesToCheck, key => checkMandate(ctx, key))
}

async function checkMandate(ctx: FlexContext, key: MandateKey): Promise<void> {
  const mandate = await loadMandate(ctx.db, key)
  if (mandate === null) return
  if (mandate.state === 'cancelled') return cancelAtProvider(ctx, mandate)
  if (mandate.state === 'pending' || mandate.payerPausedAt !== null)
    await applyMandateReport(ctx, await askProvider(ctx, mandate), mandate.accountId)
  if (mandate.state === 'active') await pauseAtProvider(ctx, key)
  const checked = await withPlan(ctx, key, plan => {
    if (plan.mandate?.id === key.id) scheduleCheck(plan)
    return plan.mandate
  })
  if (checked !== null) await cancelAtProvider(ctx, checked)
}

/** When the mandate is looked at next, or what its time being up means. */
function scheduleCheck(plan: PlanChanges): void {
  const { state, endOn, createdAt, checks, nextCheckAt: dueAt, payerPausedAt } = plan.requireMandate()
  if (state === 'active' && dayOf(plan.now) > endOn) return expireMandate(plan)
  if (state === 'active' && plan.plan.state === 'closed' && !isRevivable(plan.plan, plan.now))
    return endMandateAtProvider(plan, 'its plan has closed for good')
  // The reason for this check is gone meanwhile: the next one is when the plan closes for good, or the mandate ends.
  if (state === 'active' && (dueAt ?? plan.now) <= plan.now)
    plan.changeMandate({
      nextCheckAt:
        payerPausedAt === null
          ? (plan.plan.revivableUntil ?? momentOf(addDays(endOn, 1), 0))
          : new Date(plan.now.getTime() + DAY_MS),
    })
  if (state !== 'pending') return
  if (plan.now.getTime() - createdAt.getTime() > GIVE_UP_DAYS * DAY_MS) {
    plan.moveMandate('rejected', 'the bank never confirmed it', { nextCheckAt: null })
    return
  }
  const minutes = CHECK_AGAIN_MINUTES[checks] ?? CHECK_AGAIN_MINUTES.at(-1) ?? 720
  const nextCheckAt = new Date(plan.now.getTime() + minutes * 60_000)
  plan.changeMandate({ checks: checks + 1, nextCheckAt })
}

export async function nextMandateCheckAt({ db }: FlexContext): Promise<Date | null> {
  return mandatesToCheck.nextDue(db)
}

const RETRY_MINUTES = [2, 10, 60, 360]
const GIVE_UP_AFTER = 20

/**
 * Tells the provider that a mandate is to rest while its plan is held or locked, and to go on afterwards, so that the payer's
 * bank sees what we do. That it has to be told stands in the mandate's row since the commit that stopped the plan. Nothing
 * depends on it: what is stopped is not presented in any case.
 */
async function pauseAtProvider(ctx: FlexContext, key: MandateKey): Promise<void> {
  const loaded = (await loadPlans(ctx.db, [key])).get(key.planId)
  if (loaded?.mandate?.id !== key.id || !isPauseDue(loaded)) return
  const told = await tellProvider(ctx, loaded)
  await withPlan(ctx, key, plan => {
    if (plan.mandate?.id !== key.id || plan.mandate.state !== 'active') return
    const { checks, endOn, isPaused: before } = plan.mandate
    const isPaused = told.kind === 'done' ? !before : before
    if (told.kind !== 'unknown' && told.what !== null) plan.note(null, told.what, told.why)
    const minutes = RETRY_MINUTES[checks] ?? 1_440
    const isAgain = told.kind === 'unknown' && checks < GIVE_UP_AFTER
    const later = new Date(plan.now.getTime() + minutes * 60_000)
    const nextCheckAt = isAgain ? later : momentOf(addDays(endOn, 1), 0)
    plan.changeMandate({ isPaused, nextCheckAt, checks: isAgain ? checks + 1 : 0 })
    // Somebody has changed it while the provider was told.
    if (told.kind === 'done' && isPauseDue(plan)) plan.changeMandate({ nextCheckAt: plan.now })
  })
}

type PauseAnswer = { kind: 'done' | 'refused'; what: string | null; why: string } | { kind: 'unknown' }

async function tellProvider(ctx: FlexContext, loaded: LoadedPlan): Promise<PauseAnswer> {
  const { mandate } = loaded
  if (mandate === null) return { kind: 'unknown' }
  const { instituteId, id: mandateId, providerRef, isPaused } = mandate
  // A debit at the bank comes to its end before its mandate is paused.
  if (!isPaused && isAtBank(loaded)) return { kind: 'unknown' }
  const [act, what] = isPaused ? (['resume', 'resumed'] as const) : (['pause', 'paused'] as const)
  try {
    const port = await mandatesOf(ctx, mandate)
    if (port[act] === undefined) return { kind: 'refused', what: null, why: '' }
    await port[act]({ instituteId, mandateId, providerRef })
    return { kind: 'done', what: `mandate ${what}`, why: 'at the payment provider' }
  } catch (error) {
    if (error instanceof ProviderRefused)
      return { kind: 'refused', what: `mandate not ${what}`, why: `the provider says: ${error.message}` }
    if (!isUnavailable(error)) throw error
    return { kind: 'unknown' }
  }
}
