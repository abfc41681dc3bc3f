import { assertNever } from '../../platform/assert.ts'
import { DAY_MS, dayOf, addDays } from '../../platform/calendar.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import {
  type RebalancedRow,
  balancedAgainst,
  isFinished,
  outsideOf,
  owedSince,
  rebalancePlan,
} from './rebalance.rules.ts'
import { firstDayFor } from './debit.rules.ts'
import {
  addLines,
  sumLines,
  type Line,
  isEndedByData,
  isMandateLive,
  isOpen,
  isPlanBalanced,
  isPlanLive,
  isToCome,
  nextNumber,
  type Instalment,
} from './plan.rules.ts'
import { type PlanInChange, endInstalment, withdrawNotice } from './plan-in-change.rules.ts'
import { momentOf } from './rails.rules.ts'
import { newInstalment, type ScheduleRow } from './schedule.rules.ts'
import { takeSchedule } from './erp-schedule.rules.ts'

/** Why a plan has to take other amounts than before. */
export type PlanCause =
  /** A payment by another way, another fee, or what was paid is undone. */
  | { kind: 'owed_changed' }
  | { kind: 'erp_sent_schedule'; rows: readonly ScheduleRow[] }
  /** The ERP's institute has done with schedules of its own. */
  | { kind: 'erp_sends_no_schedules' }
  | { kind: 'refunded'; lines: readonly Line[]; origin: Instalment | undefined }
  /** The bank returned a debit that it had paid. What had been refunded of it is owed as a charge. */
  | { kind: 'debit_reversed'; isCharged: boolean }
  | { kind: 'debit_paid' }

/**
 * Changes a plan for a cause: the only place where its instalments follow what is owed. A change of fees or payments ends
 * nothing for good: a covered or waived instalment is filled up again when the money goes back or the fee returns, and a plan
 * that closed meanwhile opens again. The ERP is told of every difference, and a plan that expects nothing more closes.
 */
export function applyCause(plan: PlanInChange, cause: PlanCause): void {
  const before = plan.snapshot()
  switch (cause.kind) {
    case 'owed_changed':
      takeWhatIsOwed(plan)
      break
    case 'erp_sent_schedule':
      if (!isPlanBalanced(plan.plan, plan.now)) break
      takeSchedule(plan, cause.rows)
      if (plan.instalments.some(isOpen)) reopen(plan)
      noteBalance(plan)
      break
    case 'erp_sends_no_schedules':
      if (plan.plan.isCustom) plan.changePlan({ isCustom: false })
      takeWhatIsOwed(plan)
      break
    case 'refunded':
      if (!isPlanLive(plan.plan) && !isOpenedAgain(plan)) break
      addRefunded(plan, cause)
      takeWhatIsOwed(plan)
      break
    case 'debit_reversed':
      reopen(plan)
      if (cause.isCharged) takeWhatIsOwed(plan)
      break
    case 'debit_paid':
      break
    default:
      assertNever(cause)
  }
  plan.recordSchedule(before)
  closeIfFinished(plan)
}

/** A closed plan takes what comes back, unless the student has a newer one. */
function isOpenedAgain({ plan: { state, isReplaced } }: PlanInChange): boolean {
  return state === 'closed' && !isReplaced
}

const WHY = {
  covered: 'what it was for has been paid otherwise',
  waived: 'the fee it was for has fallen',
}

/** An instalment that was announced with another amount loses its notice and begins its way anew. */
function takeWhatIsOwed(plan: PlanInChange): void {
  if (plan.plan.state !== 'draft' && !isPlanBalanced(plan.plan, plan.now)) return
  const { rows, comesBack } = rebalancePlan(plan, plan.student, dayOf(plan.now))
  const revived = rows.flatMap(row => applyRow(plan, row) ?? [])
  if (comesBack.length > 0) revived.push(addComeback(plan, comesBack))
  if (revived.length > 0) reopen(plan)
  else if (plan.plan.state === 'closed') return
  noteBalance(plan)
  if (revived.length > 0)
    notifyOfRevival(
      plan,
      revived.map(({ id }) => plan.find(id)).filter(one => one !== undefined),
    )
}

/** Applies one rebalanced row; answers the instalment if it was covered or waived and is to be paid again. */
function applyRow(
  plan: PlanInChange,
  { id, lines, planned, becomes }: RebalancedRow,
): Instalment | undefined {
  const instalment = plan.find(id)
  if (instalment === undefined) return undefined
  const isEnded = isEndedByData(instalment)
  if (lines.length === 0 && (isEnded || instalment.state === 'debited' || instalment.state === 'settled')) {
    plan.change(instalment, { planned: isEnded ? planned : addLines(instalment.lines, planned) })
    return undefined
  }
  if (isEnded) return reviveInstalment(plan, instalment, { lines, planned })
  if (becomes === 'open') changeAmount(plan, instalment, { lines, planned })
  else endInstalment(plan, plan.change(instalment, { planned }), becomes, { why: WHY[becomes] })
  return undefined
}

type Amounts = { lines: Line[]; planned: Line[] }

function changeAmount(plan: PlanInChange, instalment: Instalment, { lines, planned }: Amounts): void {
  const why = `now ${formatRupees(sumLines(lines))} instead of ${formatRupees(sumLines(instalment.lines))}`
  if (instalment.state === 'confirmed') return withdrawNotice(plan, instalment, why, { lines, planned })
  plan.note(instalment, 'amount', why)
  plan.change(instalment, { lines, planned })
}

/** Its day is still to come; if there is no time left for a notice, the engine finds another. */
function reviveInstalment(plan: PlanInChange, instalment: Instalment, amounts: Amounts): Instalment {
  const revived = plan.move(
    instalment,
    'scheduled',
    `${formatRupees(sumLines(amounts.lines))} are owed again`,
    {
      ...amounts,
      notifiedAt: null,
      fetchTries: 0,
      nextStepAt: plan.now,
    },
  )
  return revived.stoppedAt === null ? revived : keepDue(plan, revived, 'the family has stopped this charge')
}

/** Not debited: it is to be paid online. */
export function keepDue(plan: PlanInChange, instalment: Instalment, why: string): Instalment {
  return plan.move(instalment, 'due', why, { nextStepAt: null, notifiedAt: null })
}

/** Adds an instalment for money that is owed again after its day; without a mandate to debit it is due online. */
function addComeback(plan: PlanInChange, lines: Line[]): Instalment {
  const { instituteId, id: planId } = plan.plan
  const key = { instituteId, planId, number: nextNumber(plan) }
  const today = dayOf(plan.now)
  const row = { dueOn: today, isDownpayment: false, referenceId: null, identifier: null, lines }
  const draft = newInstalment(key, row)
  const day = firstDayFor(plan.contextOf(draft), plan.rail, today)
  const { mandate } = plan
  const canBeDebited =
    plan.plan.state === 'draft' || (mandate !== null && isMandateLive(mandate) && day <= mandate.endOn)
  const amount = formatRupees(sumLines(lines))
  if (!canBeDebited) {
    return plan.move(draft, 'due', `${amount} are owed again, and there is no mandate to debit`)
  }
  plan.note(draft, 'added', `${amount} are owed again`)
  return plan.put({ ...draft, dueOn: day, presentOn: day, nextStepAt: plan.now })
}

/**
 * Makes refunded money due again, as far as it is owed: the parent pays it online, or a person gives it another day. It is
 * not debited by itself, because somebody has just sent it back.
 */
function addRefunded(
  plan: PlanInChange,
  { lines: refunded, origin }: Extract<PlanCause, { kind: 'refunded' }>,
): void {
  const lines = owedSince(plan, plan.student, refunded)
  if (lines.length === 0) return
  const { instituteId, id: planId } = plan.plan
  const { dueOn = dayOf(plan.now), referenceId = null, identifier = null } = origin ?? {}
  const { isCharge = false, chargeReason = null } = origin ?? {}
  const row = { dueOn, isDownpayment: false, referenceId, identifier, lines, isCharge, chargeReason }
  const amountPaise = sumLines(lines)
  const added = newInstalment({ instituteId, planId, number: nextNumber(plan) }, row)
  plan.move(added, 'due', `${formatRupees(amountPaise)} were refunded and are due again`)
  reopen(plan)
  plan.notifyFamily('owed_again', { amountPaise })
}

/** What the schedule was balanced against, and what it leaves open. */
export function noteBalance(plan: PlanInChange): void {
  plan.changePlan({
    fittedTo: balancedAgainst(plan, plan.student),
    fittedAt: plan.now,
    outsidePaise: outsideOf(plan, plan.student),
  })
}

function notifyOfRevival(plan: PlanInChange, revived: readonly Instalment[]): void {
  if (plan.plan.state === 'draft') return
  const amountPaise = sumPaise(revived.map(({ lines }) => sumLines(lines)))
  const days = revived.filter(({ state }) => state === 'scheduled').map(({ presentOn }) => presentOn)
  plan.notifyFamily('owed_again', { amountPaise, day: days.toSorted()[0] })
}

/** A closed plan goes on while something is owed in it; without a mandate the parent pays it online. */
export function reopen(plan: PlanInChange): void {
  if (isOpenedAgain(plan)) {
    plan.movePlan('active', 'something of it is owed again', { revivableUntil: null })
    if (plan.mandate?.state === 'active')
      plan.changeMandate({ nextCheckAt: momentOf(addDays(plan.mandate.endOn, 1), 0) })
  }
  if (plan.plan.state !== 'active' || isMandateLive(plan.mandate)) return
  for (const one of plan.instalments.filter(isToCome)) keepDue(plan, one, 'there is no mandate to debit')
}

/** Closes a plan of which nothing more is expected; for some weeks it opens again if something comes back. */
function closeIfFinished(plan: PlanInChange): void {
  if (!isFinished(plan)) return
  const { closedForGoodDays } = plan.debitRules.rules
  const revivableUntil = new Date(plan.now.getTime() + closedForGoodDays * DAY_MS)
  plan.movePlan('closed', 'everything is paid, covered or waived', { revivableUntil })
  if (plan.mandate?.state === 'active') plan.changeMandate({ nextCheckAt: revivableUntil })
  const { outsidePaise: amountPaise } = plan.plan
  if (amountPaise === 0) return plan.recordEvent('flex.subscription.closed', {})
  const message = `${formatRupees(amountPaise)} are owed that were not part of the plan.`
  const reason = { code: 'owed_outside_plan', category: 'erp' as const, message }
  plan.recordEvent('flex.subscription.closed', { reason })
  plan.notifyFamily('outside', { amountPaise })
}
