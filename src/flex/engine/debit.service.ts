import { orderFor } from '../../orders/orders.rules.ts'
import type { Debit } from '../../payments/debits/debits.service.ts'
import type { OnTheWay } from '../../payments/on-the-way.rules.ts'
import { paymentInEvent } from '../../payments/payment.events.ts'
import type { PaidOrder } from '../../payments/context.ts'
import { assertNever } from '../../platform/assert.ts'
import { DAY_MS, dayOf, addDays } from '../../platform/calendar.ts'
import { formatRupees } from '../../platform/money.ts'
import type { Pulled } from '../../erp/pull/pull.service.ts'
import type { Presentation } from './engine.store.ts'
import { followErp } from '../plans/rebalance.service.ts'
import type { PlanChanges } from '../plans/plan-changes.service.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import {
  afterFetch,
  DROPPED,
  type ErpDecision,
  type ErpAnswer,
  mostPerDebit,
  nextStep,
  type Step,
  TRANSFERRED,
  firstDayFor,
} from '../rules/debit.rules.ts'
import { lastTryOn } from '../rules/returns.rules.ts'
import {
  chargeTold,
  splitAt,
  sumLines,
  type Line,
  isAnnounced,
  isPlanOver,
  nextNumber,
  noticeIdOf,
  onlineBeside,
  type Instalment,
} from '../rules/plan.rules.ts'
import { presentationOn } from '../rules/rails.rules.ts'
import { newInstalment } from '../rules/schedule.rules.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { MANDATE_ENDED, cancelWithMandate } from '../mandates/end-mandate.ts'
import { withdrawNotices, withdrawNotice } from '../rules/plan-in-change.rules.ts'
import { heldUntil } from '../../payments/payments.rules.ts'
import { listOnTheWay, listStarted } from '../../payments/student-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { LockedPlans } from '../plans/with-plans.service.ts'
import { isPaidBy } from '../rules/rebalance.rules.ts'
import { addAll } from '../../platform/lists.ts'

/**
 * The way of one debit, from top to bottom: the ERP is asked, the amount is frozen and announced, it is presented to the
 * bank, the bank pays, the family gets its receipt, the money reaches the institute. `debit.rules.ts` says when each step is
 * due and what follows from the ERP's answer; what the bank says is taken up in `results.service.ts`.
 */

/** Applies the ERP's answer, which decides from 30 hours before the debit. */
export function applyErpAnswer(plan: PlanChanges, instalmentId: string, answer: Pulled): void {
  const before = plan.find(instalmentId)
  if (before === undefined) return
  const step = nextStep(plan.contextOf(before))
  if (step.kind !== 'fetch') return takeQuietStep(plan, before, step)
  followErp(plan, answer)
  const instalment = plan.find(instalmentId)
  if (instalment === undefined) return
  if (instalment.state === 'waived') return askAgainLater(plan, instalment, answer)
  // Paid otherwise or moved by what the ERP just said.
  if (!(instalment.state === 'scheduled' || instalment.state === 'skipped')) return
  const context = plan.contextOf(instalment)
  // The ERP may just have given it another day, and then this is not the moment to announce it.
  const stepNow = nextStep(context)
  if (stepNow.kind !== 'fetch') return takeQuietStep(plan, instalment, stepNow)
  applyErpDecision(plan, instalment, afterFetch(context, plan.rail, erpAnswerOf(answer, plan.student)))
}

const ASK_AGAIN_MS = 60 * 60_000
const ASK_DAILY_MS = DAY_MS

/**
 * Decides when to ask the ERP again while there is nothing to debit: soon after silence. About a plan that closed because
 * nothing was left it is asked every day until the plan closes for good, by the last instalment, as no debit asks any more.
 */
function askAgainLater(plan: PlanChanges, instalment: Instalment, answer: Pulled): void {
  const isLast = plan.instalments.every(
    one => one.state !== 'waived' || one.presentOn <= instalment.presentOn,
  )
  const daily = plan.plan.state === 'closed' && isLast ? ASK_DAILY_MS : null
  const inMs = answer.kind === 'unavailable' ? ASK_AGAIN_MS : daily
  plan.change(instalment, { nextStepAt: inMs === null ? null : new Date(plan.now.getTime() + inMs) })
}

function applyErpDecision(plan: PlanChanges, instalment: Instalment, decision: ErpDecision): void {
  switch (decision.kind) {
    case 'confirm':
      return confirm(plan, instalment, decision.notifyAt)
    case 'ask_again':
      plan.change(instalment, { fetchTries: instalment.fetchTries + 1, nextStepAt: decision.at })
      return
    case 'reschedule':
      return allowAgain(plan, instalment, decision.presentOn)
    case 'skip':
      return skip(plan, instalment, decision)
    case 'lock_plan':
      return lockByErp(plan, instalment, decision)
    case 'cancel_plan':
      return cancelByErp(plan, decision)
    default:
      return assertNever(decision)
  }
}

/** Freezes the amount and announces the debit at least 24 hours before; notices of the night leave in the morning. */
function confirm(plan: PlanChanges, instalment: Instalment, notifyAt: Date): void {
  const { presentOn } = instalment
  const { taken, rest } = splitAt(instalment.lines, mostPerDebit(plan.rail, plan.requireMandate()))
  const debit = rest.length > 0 ? splitOff(plan, instalment, { taken, rest }) : instalment
  const amountPaise = sumLines(taken)
  noteOtherBranch(plan, debit)
  plan.move(debit, 'confirmed', `${formatRupees(amountPaise)} announced for ${presentOn}`, {
    notifiedAt: notifyAt,
    fetchTries: 0,
    nextStepAt: plan.requireMandate().isAnnounced ? notifyAt : presentationOn(presentOn, plan.rail),
  })
  const onlinePaise = onlineBeside(plan, instalment)
  const once = noticeIdOf({ ...debit, notifiedAt: notifyAt })
  const last = lastTryOn(presentOn, notifyAt, { rail: plan.rail, ...plan.debitRules })
  const until = last > presentOn ? last : undefined
  const charge = chargeTold(debit)
  plan.notifyFamily('notice', {
    amountPaise,
    onlinePaise,
    day: presentOn,
    until,
    once,
    leavesAt: notifyAt,
    charge,
  })
}

/** A mandate stays with the account through which it was given; whose that is, a person has to know before the money moves. */
function noteOtherBranch(plan: PlanChanges, instalment: Instalment): void {
  const { collectorCode: from } = plan.plan
  const { collectorCode: to } = plan.student.student
  if (from === to) return
  const why = `the student is in ${to} now, and the mandate was given to ${from}: the money arrives where the mandates of ${from} do; a new mandate debits for ${to}`
  plan.note(instalment, 'mandate of another branch', why)
}

/** The instalment keeps what its mandate may take, and the ERP is told of both parts. */
function splitOff(
  plan: PlanChanges,
  instalment: Instalment,
  { taken, rest }: { taken: Line[]; rest: Line[] },
): Instalment {
  const before = plan.snapshot()
  const debit = plan.change(instalment, { lines: taken, planned: taken })
  addDueOnline(plan, instalment, rest)
  plan.recordSchedule(before)
  return debit
}

/** The part above the mandate's limit is due all the same: the parent pays it online. */
function addDueOnline(plan: PlanChanges, instalment: Instalment, lines: Line[]): void {
  const { instituteId, id: planId } = plan.plan
  const added = newInstalment(
    { instituteId, planId, number: nextNumber(plan) },
    { ...instalment, lines },
    { presentOn: instalment.presentOn },
  )
  const message = `${formatRupees(sumLines(lines))} are above what the mandate may take and are to be paid online.`
  const due = plan.move(added, 'due', message)
  plan.recordEvent('flex.instalment.skipped', {
    instalment: due,
    reason: { code: 'above_mandate', category: 'limit', message },
    nextTryOn: undefined,
  })
}

type PresentedDebit = { debit: Debit; presentation: Presentation; mandateRef: string }

type PresentFacts = {
  noticeLeftAt: Date | null | undefined
  /** Money for the same fees that is on the way already. */
  paidElsewhere: readonly OnTheWay[]
}

/**
 * Presents an instalment in the rail's window. A drop, a hold, a lock or a payment since the notice counts until here. Null
 * when it is not to be presented after all: money came or is on the way, its notice left too late, or a person acted.
 */
export function present(
  plan: PlanChanges,
  instalmentId: string,
  { noticeLeftAt, paidElsewhere }: PresentFacts,
): PresentedDebit | null {
  if (plan.student.student.status === 'dropped') {
    if (!isPlanOver(plan.plan)) cancelByErp(plan, DROPPED)
    return null
  }
  applyCause(plan, { kind: 'owed_changed' })
  const instalment = plan.find(instalmentId)
  if (instalment === undefined || plan.mandate === null) return null
  const { id: mandateId, providerRef: mandateRef, provider, accountId, rail: mode } = plan.mandate
  const step = nextStep({ ...plan.contextOf(instalment), noticeLeftAt })
  if (step.kind !== 'present' || mandateRef === null) {
    takeQuietStep(plan, instalment, step.kind === 'present' ? { kind: 'rest', why: 'no mandate' } : step)
    return null
  }
  if (waitsForOthers(plan, instalment, paidElsewhere)) return null
  const { student } = plan.student
  const { instituteId, id: planId } = plan.plan
  const at = plan.now
  const attempt = instalment.attempt + 1
  const amountPaise = sumLines(instalment.lines)
  const order = orderFor(student, { kind: 'instalment', lines: instalment.lines, at, planId, instalmentId })
  const why = `${formatRupees(amountPaise)} handed to the bank, presentation ${attempt}`
  plan.move(instalment, 'presented', why, {
    attempt,
    presentedOn: dayOf(at),
    returnCode: null,
    orderId: order.id,
    nextStepAt: null,
  })
  const presentation = attempt + instalment.bankReturns
  const ids = { instituteId, instalmentId, orderId: order.id, mandateId }
  return {
    debit: {
      instituteId,
      order,
      provider,
      accountId,
      mode,
      at,
      announcedRef: isAnnounced(instalment) ? instalment.announcedRef : null,
    },
    presentation: { ...ids, presentation, amountPaise, presentedAt: at },
    mandateRef,
  }
}

/** The bank has paid. The family is told of it with its receipt, as of every payment. */
export function debited(plan: PlanChanges, instalment: Instalment, paid: PaidOrder): void {
  const { amountPaise } = paid.payment
  const after = plan.move(instalment, 'debited', `the bank paid ${formatRupees(amountPaise)}`)
  recordMoney(plan, after, paid, 'debited')
  applyCause(plan, { kind: 'debit_paid' })
}

/** The bank paid a presentation that it had returned. The money counts for the student, so what is still to come is less. */
export function debitedLate(plan: PlanChanges, instalment: Instalment, paid: PaidOrder): void {
  plan.note(instalment, 'paid late', 'the bank paid a presentation after it had returned it')
  recordMoney(plan, instalment, paid, 'debited')
  applyCause(plan, { kind: 'owed_changed' })
}

/** A down payment is paid at the checkout, before the mandate is given. */
export function paidAtSetup(plan: PlanChanges, instalment: Instalment, paid: PaidOrder): void {
  const why = `${formatRupees(paid.payment.amountPaise)} paid at set-up`
  // A plan that was cancelled while the payment was pending stays so; the money came all the same.
  const after = instalment.state === 'scheduled' ? plan.move(instalment, 'debited', why) : instalment
  recordMoney(plan, after, paid, 'debited')
}

/** The money has reached the institute. */
export function settled(plan: PlanChanges, instalment: Instalment, paid: PaidOrder): void {
  // A late payment reaches the institute too, though the instalment went on without it.
  const isItsOwn = instalment.state === 'debited' && instalment.orderId === paid.order.id
  const after = isItsOwn ? plan.move(instalment, 'settled', 'the money reached the institute') : instalment
  recordMoney(plan, after, paid, 'settled')
}

/** Money that left the payer, or reached the institute, always has its event: the ERP's books must not miss any. */
function recordMoney(
  plan: PlanChanges,
  instalment: Instalment,
  { payment, order }: PaidOrder,
  happened: 'debited' | 'settled',
): void {
  // The ERP knows the payment by its own reference of the instalment.
  const { referenceId } = instalment
  const money = { payment: { ...paymentInEvent(payment, order, 'flex'), referenceId }, orderId: order.id }
  if (instalment.isDownpayment) plan.recordEvent(`flex.downpayment.${happened}`, money)
  else plan.recordEvent(`flex.instalment.${happened}`, { ...money, instalment })
}

/** Steps that need nobody else: waiting, another day, rest. */
export function takeQuietStep(plan: PlanChanges, instalment: Instalment, step: Step): void {
  switch (step.kind) {
    case 'wait':
      plan.change(instalment, { nextStepAt: step.until })
      return
    case 'rest':
      plan.change(instalment, { nextStepAt: null })
      return
    case 'move': {
      const change = { presentOn: step.presentOn, notifiedAt: null, fetchTries: 0, nextStepAt: plan.now }
      if (instalment.state === 'confirmed') plan.move(instalment, 'scheduled', step.why, change)
      else {
        plan.note(instalment, `moved to ${step.presentOn}`, step.why)
        plan.change(instalment, change)
      }
      return
    }
    case 'fetch':
    case 'announce':
    case 'present':
      // Something moved in between: it is looked at again at once.
      plan.change(instalment, { nextStepAt: plan.now })
      return
    default:
      assertNever(step)
  }
}

/** Dropping a student here says the same as the ERP's refusal for it, also where no ERP is asked. */
function erpAnswerOf(pulled: Pulled, { student }: StudentContext): ErpAnswer {
  if (student.status === 'dropped') {
    return { kind: 'refused', actsAs: DROPPED.code, ...DROPPED }
  }
  switch (pulled.kind) {
    case 'found':
    case 'not_configured':
      return { kind: 'fresh' }
    case 'refused':
      return pulled
    case 'unavailable':
      return { kind: 'unavailable', message: pulled.message }
    default:
      return assertNever(pulled)
  }
}

/** Starts an instalment over on a new day, once the ERP has nothing against it; a plan that the ERP had locked goes on. */
function allowAgain(plan: PlanChanges, instalment: Instalment, presentOn: string): void {
  const change = { presentOn, fetchTries: 0, notifiedAt: null, nextStepAt: plan.now }
  const why = `the ERP's answer allows it again; to be presented on ${presentOn}`
  if (instalment.state === 'skipped') plan.move(instalment, 'scheduled', why, change)
  else plan.change(instalment, change)
  if (plan.plan.state !== 'locked') return
  // Its mandate ended meanwhile: the ERP has nothing against it any more, but there is nothing to debit.
  if (plan.mandate?.state !== 'active') {
    plan.note(null, 'still locked', "the ERP's answer allows it again, but its mandate has ended")
    plan.changePlan({ lockReason: MANDATE_ENDED })
    return
  }
  plan.unlock("the ERP's answer allows it again")
  for (const other of plan.instalments)
    if (other.state === 'scheduled' && other.nextStepAt === null) plan.change(other, { nextStepAt: plan.now })
}

type DecisionOf<Kind extends ErpDecision['kind']> = Extract<ErpDecision, { kind: Kind }>

function skip(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message, askAgainAt }: DecisionOf<'skip'>,
): void {
  const change = { nextStepAt: askAgainAt, fetchTries: 0, notifiedAt: null }
  if (instalment.state === 'skipped') {
    plan.note(instalment, 'still skipped', `${code}: ${message}`)
    plan.change(instalment, change)
    return
  }
  const skipped = plan.move(instalment, 'skipped', `${code}: ${message}`, change)
  plan.recordEvent('flex.instalment.skipped', {
    instalment: skipped,
    reason: { code, category: 'erp', message },
    nextTryOn: dayOf(askAgainAt),
  })
}

function lockByErp(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message, askAgainAt }: DecisionOf<'lock_plan'>,
): void {
  plan.change(instalment, { nextStepAt: askAgainAt })
  if (plan.plan.state === 'locked') return
  withdrawNotices(plan, 'the plan is locked')
  plan.lock(TRANSFERRED, `${code}: ${message}`, { code, category: 'erp', message })
}

function cancelByErp(
  plan: PlanChanges,
  { code, message }: Pick<DecisionOf<'cancel_plan'>, 'code' | 'message'>,
): void {
  cancelWithMandate(plan, `${code}: ${message}`, { code, category: 'erp', message })
}

/** A debit that is at the bank, and a down payment, pay their own instalments. */
const PAYS_ITS_OWN: readonly OnTheWay['orderKind'][] = ['instalment', 'downpayment']

/** Reads, by student, what is on the way to the same fees and what somebody pays at the bank's page at this moment. */
export async function readPaidElsewhere(
  tx: Transaction,
  plans: LockedPlans,
): Promise<Map<string, OnTheWay[]>> {
  const byInstitute = Map.groupBy(plans.values(), ({ plan }) => plan.instituteId)
  const found: OnTheWay[] = []
  for (const [instituteId, some] of byInstitute) {
    const ids = some.map(({ plan }) => plan.studentId)
    const now = some[0]?.now ?? new Date(0)
    const started = await listStarted(tx, instituteId, ids)
    const held = started.filter(payment => heldUntil(payment) > now)
    addAll(found, await listOnTheWay(tx, instituteId, ids))
    addAll(
      found,
      held.map(payment => ({ ...payment, until: dayOf(now) })),
    )
  }
  return Map.groupBy(
    found.filter(one => !PAYS_ITS_OWN.includes(one.orderKind)),
    one => one.studentId,
  )
}

/**
 * Whether a part of the instalment is being paid otherwise. Then it is not presented over that payment: it waits for the next possible
 * day, with a new notice of what is left by then.
 */
function waitsForOthers(
  plan: PlanChanges,
  instalment: Instalment,
  paidElsewhere: readonly OnTheWay[],
): boolean {
  const today = dayOf(plan.now)
  if (!isPaidBy(plan, instalment, { expected: paidElsewhere, today })) return false
  const until = paidElsewhere.reduce((last, one) => (one.until > last ? one.until : last), today)
  const presentOn = firstDayFor(plan.contextOf(instalment), plan.rail, addDays(until, 1))
  const why = 'the same fees are being paid otherwise'
  plan.note(instalment, 'waits for another payment', `${why}, which is expected to end by ${until}`)
  withdrawNotice(plan, instalment, why, { presentOn })
  return true
}
