import { ADVANCE, RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { formatRupees, minPaise, paiseOf, type Paise } from '../../platform/money.ts'
import { debitContextOf, firstDayFor, mostPerDebit, type DebitRules } from './debit.rules.ts'
import {
  chargeTold,
  isOpen,
  isRevivable,
  nextNumber,
  sumLines,
  type Instalment,
  type LoadedPlan,
  type Mandate,
} from './plan.rules.ts'
import type { PlanInChange } from './plan-in-change.rules.ts'
import { keepDue, noteBalance, reopen } from './plan-causes.rules.ts'
import { newInstalment } from './schedule.rules.ts'

/**
 * A single charge on the mandate of a plan, such as a picnic or an examination: the payer agreed to charges of this fee when
 * the mandate was given, the fee is added to the student's, and an instalment of its own takes it through the whole way of a
 * debit. The family may stop it until it is presented; then it stays due. Whoever charged it may call it off, and then the
 * fee goes too.
 */
export type WantedCharge = {
  componentType: string
  amountPaise: Paise
  dueOn: string
  reason: string
  referenceId: string | null
}

/** Fees that Bursar keeps by rules of their own. */
const KEPT_BY_RULES: ReadonlySet<string> = new Set([
  ADVANCE,
  RETURNED_AFTER_REFUND,
  'LATE_FEE',
  'CHEQUE_BOUNCE_CHARGE',
  'PREVIOUS_YEAR_DUES',
])

export function mayBeCharged(componentType: string): boolean {
  return !KEPT_BY_RULES.has(componentType)
}

/** What can be charged on a plan's mandate now; null when nothing can. */
export type ChargeTerms = {
  componentTypes: readonly string[]
  /** The most that one charge may take. */
  mostPaise: Paise
  /** The first day on which one can be presented. */
  earliestOn: string
  /** The last day on which it may be due. */
  latestOn: string
}

export function chargeTerms(loaded: LoadedPlan, debitRules: DebitRules): ChargeTerms | null {
  const { mandate } = loaded
  const { now } = debitRules
  if (mandate === null || whyNotChargeable(loaded, now) !== null) return null
  const earliestOn = presentationOf(loaded, debitRules, dayOf(now))
  if (earliestOn > mandate.endOn) return null
  const { chargeComponents: componentTypes, endOn: latestOn } = mandate
  const mostPaise = mostPerDebit(debitRules.rules.rails[mandate.rail], mandate)
  return { componentTypes, mostPaise, earliestOn, latestOn }
}

function whyNotChargeable({ plan, mandate }: Pick<LoadedPlan, 'plan' | 'mandate'>, now: Date): string | null {
  if (plan.state !== 'active' && !isRevivable(plan, now))
    return `This plan is ${plan.state}: only the mandate of an active plan can be charged.`
  if (plan.isHeld) return 'This plan is held. Resume it first.'
  if (mandate?.state !== 'active') return 'There is no mandate to debit. Ask the family for a new one.'
  return mandate.chargeComponents.length === 0
    ? 'The payer has not agreed to single charges on this mandate.'
    : null
}

/** Refuses a charge that the payer has not agreed to, or that the mandate does not allow. */
export function refuseCharge(plan: PlanInChange, charge: WantedCharge): void {
  const why = whyNotChargeable(plan, plan.now)
  if (why !== null) throw conflict(why)
  const { chargeComponents, endOn } = plan.requireMandate()
  const { componentType, amountPaise, dueOn } = charge
  if (!chargeComponents.includes(componentType))
    throw conflict(
      `The payer has not agreed to single charges of ${componentType}; agreed are: ${chargeComponents.join(', ')}.`,
    )
  if (dueOn < dayOf(plan.now)) throw badField('due_date', 'is in the past')
  if (dueOn > endOn) throw badField('due_date', 'is after the end of the mandate')
  const most = mostPerDebit(plan.rail, plan.requireMandate())
  if (amountPaise > most)
    throw conflict(
      `One debit under this mandate takes at most ${formatRupees(most)}. Charge less, or let the family pay it online.`,
    )
  if (presentationOf(plan, plan.debitRules, dueOn) > endOn)
    throw conflict('No day is left before the end of the mandate on which it could be presented.')
}

/** The first working day from this one on that leaves time for the notice and has no other debit of the mandate. */
function presentationOf(loaded: LoadedPlan, debitRules: DebitRules, dueOn: string): string {
  const { instituteId, id: planId } = loaded.plan
  const row = { dueOn, isDownpayment: false, referenceId: null, identifier: null, lines: [] }
  const draft = newInstalment({ instituteId, planId, number: 0 }, row)
  const rail = debitRules.rules.rails[loaded.mandate?.rail ?? 'enach']
  return firstDayFor(debitContextOf(loaded, draft, debitRules), rail, dueOn)
}

/** The same charge sent again, by the ERP's own reference. */
export function findCharge(plan: PlanInChange, wanted: WantedCharge): Instalment | null {
  const { referenceId, componentType, amountPaise } = wanted
  if (referenceId === null) return null
  const known = plan.instalments.find(one => one.isCharge && one.referenceId === referenceId)
  if (known === undefined) return null
  const isSame =
    sumLines(known.planned) === amountPaise &&
    known.planned.every(line => line.componentType === componentType)
  if (isSame) return known
  throw conflict(`There is another charge with the reference ${referenceId}.`, { instalment_id: known.id })
}

/** The fee stands in the student's fees already. */
export function addCharge(plan: PlanInChange, charge: WantedCharge): Instalment {
  const before = plan.snapshot()
  const { instituteId, id: planId } = plan.plan
  const { componentType, amountPaise, dueOn, reason, referenceId } = charge
  const lines = [{ componentType, amountPaise }]
  const row = { dueOn, isDownpayment: false, referenceId, identifier: null, lines }
  const presentOn = presentationOf(plan, plan.debitRules, dueOn)
  const added = newInstalment(
    { instituteId, planId, number: nextNumber(plan) },
    { ...row, isCharge: true, chargeReason: reason },
    { presentOn, nextStepAt: plan.now },
  )
  plan.note(added, 'charge', `${formatRupees(amountPaise)} for ${componentType}, on ${presentOn}: ${reason}`)
  const put = plan.put(added)
  reopen(plan)
  noteBalance(plan)
  plan.recordSchedule(before)
  return put
}

/** Can be stopped by the family: its debit is still ahead. */
export function canStopCharge({ plan }: Pick<LoadedPlan, 'plan'>, one: Instalment): boolean {
  const isAhead = one.state === 'scheduled' || one.state === 'confirmed' || one.state === 'skipped'
  return one.isCharge && isAhead && plan.state !== 'cancelled'
}

/** Not debited, because the family does not want it: it stays due. */
export function stopCharge(plan: PlanInChange, charge: Instalment): void {
  const before = plan.snapshot()
  withholdCharge(plan, charge, 'stopped by the payer', { stoppedAt: plan.now })
  plan.recordSchedule(before)
  plan.notifyFamily('charge_stopped', toldOf(charge))
}

/** The mandate may take it: one of the schedule always, a charge if the payer agreed to its kind. */
export function isChargeAgreed(
  { isCharge, lines }: Pick<Instalment, 'isCharge' | 'lines'>,
  { chargeComponents }: Pick<Mandate, 'chargeComponents'>,
): boolean {
  return !isCharge || lines.every(line => chargeComponents.includes(line.componentType))
}

/** It is to be paid online. */
export function withholdCharge(
  plan: PlanInChange,
  charge: Instalment,
  why: string,
  change: Partial<Pick<Instalment, 'stoppedAt'>> = {},
): void {
  const scheduled =
    charge.state === 'scheduled'
      ? plan.change(charge, change)
      : plan.move(charge, 'scheduled', why, { ...change, notifiedAt: null })
  keepDue(plan, scheduled, why)
}

/** Whether whoever charged it may still call it off: nothing of it is at the bank or paid. */
export function refuseCancelCharge(charge: Instalment | undefined): asserts charge is Instalment {
  if (charge === undefined || !charge.isCharge) throw badField('instalment_id', 'is no charge of this plan')
  if (isOpen(charge)) return
  const what = charge.state === 'presented' ? 'at the bank; wait for its result' : charge.state
  const instead = charge.state === 'debited' || charge.state === 'settled' ? ' Refund it instead.' : ''
  throw conflict(`The charge is ${what}.${instead}`)
}

/** What is open of it is taken off the fee, too; its fee may have been lowered below that by a person. */
export function feeOfCharge(
  charge: Pick<Instalment, 'lines'>,
  fees: readonly { componentType: string; feePaise: Paise }[],
): { componentType: string; amountPaise: Paise }[] {
  return charge.lines.map(({ componentType, amountPaise }) => {
    const fee = fees.find(one => one.componentType === componentType)?.feePaise ?? 0
    return { componentType, amountPaise: minPaise(amountPaise, paiseOf(fee)) }
  })
}

/** Its fee is taken back in the same transaction. */
export function cancelCharge(plan: PlanInChange, charge: Instalment): void {
  plan.move(charge, 'cancelled', 'the charge was called off', { nextStepAt: null, notifiedAt: null })
  plan.notifyFamily('charge_called_off', toldOf(charge))
}

function toldOf(charge: Instalment) {
  return { amountPaise: sumLines(charge.lines), charge: chargeTold(charge) }
}
