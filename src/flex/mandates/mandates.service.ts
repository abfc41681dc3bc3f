import type { MandateReport } from '../../providers/mandate-port.ts'
import type { ProviderName } from '../../providers/port.ts'
import { mandatesOf } from '../../payments/context.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processDue } from '../../platform/jobs/process-due.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import { Desk } from '../plans/plan-changes.ts'
import { findMandate, mandatesToCheck } from '../engine/engine.store.ts'
import { flexEvent, mandateBlock, scheduleRowBlock } from '../plans/plan-events.ts'
import type { FlexContext } from '../context.ts'
import { lockPlans, readFiles, type PlanKey } from '../plans/plans.store.ts'
import { tellFamily } from '../notices/family.texts.ts'
import { presentationDay } from '../rules/debit.rules.ts'
import { isOpen, type LoadedPlan } from '../rules/plan.rules.ts'
import { addDays, momentOf } from '../rules/rails.rules.ts'
import { endMandate, expireMandate, MANDATE_ENDED } from './end-mandate.ts'
import type { DebitRules } from '../rules/debit.rules.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'

type Scene = { file: LoadedPlan; student: StudentContext; debitRules: DebitRules }

/** Applies what a provider says of a mandate, however often and in whatever order it says it. */
export async function applyMandateReport(flex: FlexContext, report: MandateReport): Promise<void> {
  const found = await findMandate(flex.db, report.instituteId, report.mandateId)
  if (found === null) return
  await withPlan(flex, found, (desk, scene) => {
    // One that was replaced by another has nothing more to say.
    if (scene.file.mandate?.id === report.mandateId) apply(desk, scene, report)
  })
}

async function withPlan(
  flex: FlexContext,
  key: PlanKey,
  act: (desk: Desk, scene: Scene) => void,
): Promise<void> {
  await flex.db.transaction(async tx => {
    await lockPlans(tx, [key])
    const file = (await readFiles(tx, [key])).get(key.planId)
    if (file === undefined) return
    const { instituteId, studentId } = file.plan
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    if (student === undefined) return
    const debitRules = await readDebitRules(flex, tx)
    const desk = new Desk(debitRules.now)
    act(desk, { file, student, debitRules })
    await desk.write(tx)
  })
}

function apply(desk: Desk, scene: Scene, { outcome, providerRef }: MandateReport): void {
  const { file } = scene
  const { mandate } = file
  if (mandate === null) return
  switch (outcome.kind) {
    case 'open':
      return
    case 'authorised':
    case 'active': {
      if (mandate.state !== 'pending') return
      const references = {
        umrn: outcome.umrn ?? mandate.umrn,
        upiReference: outcome.upiReference ?? mandate.upiReference,
      }
      desk.putMandate(file, { ...mandate, ...references, providerRef: mandate.providerRef ?? providerRef })
      authorise(desk, scene)
      if (outcome.kind === 'active') activate(desk, scene)
      return
    }
    case 'rejected':
      if (mandate.state === 'pending')
        desk.moveMandate(file, 'rejected', `${outcome.code}: ${outcome.message}`, { nextCheckAt: null })
      return
    case 'cancelled':
      return endMandate(desk, scene, outcome.code)
    default:
      assertNever(outcome)
  }
}

/** The payer has said yes. */
function authorise(desk: Desk, { file, student }: Scene): void {
  const { mandate } = file
  if (mandate === null || mandate.authorisedAt !== null) return
  desk.putMandate(file, { ...mandate, authorisedAt: desk.now })
  desk.note(file, null, 'mandate authorised', 'by the payer at the bank')
  if (file.plan.state !== 'draft') return
  desk.movePlan(file, 'setup', 'the payer has authorised it')
  desk.changePlan(file, { setUpAt: desk.now })
  desk.tell(
    flexEvent('flex.subscription.setup', file, {
      student,
      at: desk.now,
      payment_schedule: file.instalments.map(scheduleRowBlock),
      mandate: mandateBlock(mandate),
    }),
  )
  desk.send(tellFamily('set_up', file, { student, at: desk.now }))
}

/** The bank confirms that it can be debited: every instalment gets its day. */
function activate(desk: Desk, { file, student, debitRules }: Scene): void {
  const expiresAt = file.mandate === null ? null : momentOf(addDays(file.mandate.endOn, 1), 0)
  const mandate = desk.moveMandate(file, 'active', 'confirmed by the bank', { nextCheckAt: expiresAt })
  if (
    file.plan.state === 'setup' ||
    (file.plan.state === 'locked' && file.plan.lockReason === MANDATE_ENDED)
  ) {
    desk.movePlan(file, 'active', 'its mandate can be debited')
    desk.changePlan(file, { lockReason: null })
  }
  desk.tell(
    flexEvent('flex.subscription.active', file, { student, at: desk.now, mandate: mandateBlock(mandate) }),
  )
  const rail = debitRules.rules.rails[mandate.rail]
  const setUpOn = dayOf(mandate.authorisedAt ?? desk.now)
  const takenDays = new Set(
    file.instalments.filter(({ state }) => state === 'presented').map(one => one.presentOn),
  )
  const waiting = file.instalments.filter(
    one => isOpen(one) && !one.isDownpayment && one.state !== 'reversed',
  )
  for (const instalment of waiting.toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))) {
    if (instalment.state === 'bounced') continue
    if (instalment.state === 'confirmed') throw new Error('a notice outlived its mandate')
    const { rules, holidays } = debitRules
    const presentOn = presentationDay(instalment.dueOn, { setUpOn, rail, rules, holidays, takenDays })
    takenDays.add(presentOn)
    desk.change(file, instalment, { presentOn, nextStepAt: desk.now })
  }
}

const CHECK_AGAIN_MINUTES = [2, 5, 15, 60, 240, 720]
const GIVE_UP_DAYS = 15

/** Asks about mandates that nothing was heard of, and ends those that are past their time. */
export function checkMandates(flex: FlexContext): Run {
  return processDue(flex, mandatesToCheck, ({ id, ...key }) => checkMandate(flex, { ...key, mandateId: id }))
}

async function checkMandate(flex: FlexContext, key: PlanKey & { mandateId: string }): Promise<void> {
  const file = (await readFiles(flex.db, [key])).get(key.planId)
  const mandate = file?.mandate ?? null
  if (mandate === null || mandate.id !== key.mandateId) return
  if (mandate.state === 'pending') {
    const at = { instituteId: mandate.instituteId, mandateId: mandate.id, providerRef: mandate.providerRef }
    const report = await mandatesOf(flex, mandate.provider as ProviderName).status(at)
    await applyMandateReport(flex, report)
  }
  await withPlan(flex, key, (desk, scene) => schedule(desk, scene, key.mandateId))
}

/** When it is looked at next, or what its time being up means. */
function schedule(desk: Desk, { file, student }: Scene, mandateId: string): void {
  const { mandate } = file
  if (mandate === null || mandate.id !== mandateId) return
  if (mandate.state === 'active') {
    if (dayOf(desk.now) <= mandate.endOn) return
    return expireMandate(desk, { file, student })
  }
  if (mandate.state !== 'pending') return
  const isOld = desk.now.getTime() - mandate.createdAt.getTime() > GIVE_UP_DAYS * 86_400_000
  if (isOld) {
    desk.moveMandate(file, 'rejected', 'the bank never confirmed it', { nextCheckAt: null })
    return
  }
  const minutes = CHECK_AGAIN_MINUTES[Math.min(mandate.checks, CHECK_AGAIN_MINUTES.length - 1)] ?? 720
  const nextCheckAt = new Date(desk.now.getTime() + minutes * 60_000)
  desk.putMandate(file, { ...mandate, checks: mandate.checks + 1, nextCheckAt })
}

export async function nextMandateCheckAt({ db }: FlexContext): Promise<Date | null> {
  return mandatesToCheck.nextDue(db)
}
