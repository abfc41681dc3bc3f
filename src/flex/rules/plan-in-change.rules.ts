import { nextWakingMoment } from '../../messages/messages.rules.ts'
import type { Paise } from '../../platform/money.ts'
import type { MessageDetails, MessageKind } from '../notices/family.texts.ts'
import type { EventExtras, FlexEventCode, Reason } from '../plans/plan.events.ts'
import { debitContextOf, type DebitContext, type DebitRules, isNotified } from './debit.rules.ts'
import {
  isDone,
  isPauseDue,
  noticeIdOf,
  type Instalment,
  type LoadedPlan,
  type Mandate,
  type Plan,
  transition,
  type InstalmentState,
  type MandateState,
  type PlanState,
} from './plan.rules.ts'
import type { RailRules } from './rails.rules.ts'
import type { Fees } from './rebalance.rules.ts'

/** A consequence of a change beside the rows, kept in the order of the decisions; `of` is the plan at that moment. */
export type PlanEffect =
  | { kind: 'decided'; instalmentId: string | null; what: string; why: string }
  /** `recordEvent` has seen to it that the extras are those of the code. */
  | { kind: 'event'; of: LoadedPlan; code: FlexEventCode; extras: object }
  /** The ERP is told of what differs, if anything does. */
  | { kind: 'rescheduled'; before: LoadedPlan; of: LoadedPlan }
  | { kind: 'told'; of: LoadedPlan; message: MessageKind; details: MessageDetails }
  | { kind: 'returned'; instalmentId: string; debit: ReturnedDebit; tellAt: Date }
  /** Nobody needs to be reminded of the instalment any more. */
  | { kind: 'done'; instalmentId: string }
  | { kind: 'notice_withdrawn'; once: string }

type ReturnedDebit = { kind: 'bounced' | 'reversed'; amountPaise: Paise; reason: string }

type Surroundings<Student> = { student: Student; debitRules: DebitRules; now: Date; publicUrl: string }

type RowChange<Row> = Partial<Omit<Row, 'state'>>

/**
 * One plan while it is changed: its state, the rows that are not as they were, and the effects of the change. Whoever holds
 * the plan's lock writes it all in one transaction. States change only by `move…`.
 */
export class PlanInChange<Student extends Fees = Fees> implements LoadedPlan {
  plan: Plan
  mandate: Mandate | null
  instalments: Instalment[]
  /** The plan when it was locked. */
  readonly before: LoadedPlan
  readonly student: Student
  readonly debitRules: DebitRules
  readonly now: Date
  /** Where the family sees the plan and what to do. */
  readonly pageUrl: string
  readonly effects: PlanEffect[] = []
  /** Rows that have to be written, by their ids. */
  readonly changed = {
    plan: false,
    mandates: new Map<string, Mandate>(),
    instalments: new Map<string, Instalment>(),
  }

  constructor(
    { plan, mandate, instalments }: LoadedPlan,
    { student, debitRules, now, publicUrl }: Surroundings<Student>,
  ) {
    this.before = { plan, mandate, instalments }
    this.plan = plan
    this.mandate = mandate
    this.instalments = instalments
    this.student = student
    this.debitRules = debitRules
    this.now = now
    this.pageUrl = `${publicUrl}/flex/${plan.instituteCode}/${plan.id}`
  }

  movePlan(to: PlanState, why: string, change: RowChange<Plan> = {}): void {
    this.#putPlan({ ...this.plan, ...change, state: transition('plan', this.plan.state, to) })
    this.note(null, `plan ${to}`, why)
  }

  /** Nothing is debited until what is in the way has ended. */
  lock(lockReason: string, why: string, reason?: Reason): void {
    const { state } = this.plan
    if (state === 'locked') this.changePlan({ lockReason })
    if (state !== 'active' && state !== 'setup') return
    this.movePlan('locked', why, { lockReason })
    this.recordEvent('flex.subscription.locked', { reason })
  }

  unlock(why: string): void {
    if (this.plan.state !== 'locked') return
    this.movePlan('active', why, { lockReason: null })
    this.recordEvent('flex.subscription.unlocked', {})
  }

  changePlan(change: RowChange<Plan>): void {
    this.#putPlan({ ...this.plan, ...change })
  }

  /** The reason is what a bursar reads. */
  move(
    instalment: Instalment,
    to: InstalmentState,
    why: string,
    change: RowChange<Instalment> = {},
  ): Instalment {
    const state = transition('instalment', instalment.state, to)
    this.note(instalment, to, why)
    if (isDone({ state })) this.effects.push({ kind: 'done', instalmentId: instalment.id })
    return this.put({ ...instalment, ...change, state })
  }

  change(instalment: Instalment, change: RowChange<Instalment>): Instalment {
    return this.put({ ...instalment, ...change })
  }

  /** Adds one, or replaces the one with its id. */
  put(changed: Instalment): Instalment {
    const known = this.find(changed.id)
    this.instalments =
      known === undefined
        ? [...this.instalments, changed]
        : this.instalments.map(one => (one.id === changed.id ? changed : one))
    if (known !== undefined && known.notifiedAt !== null && changed.notifiedAt !== known.notifiedAt)
      this.effects.push({ kind: 'notice_withdrawn', once: noticeIdOf(known) })
    this.changed.instalments.set(changed.id, changed)
    return changed
  }

  find(instalmentId: string): Instalment | undefined {
    return this.instalments.find(({ id }) => id === instalmentId)
  }

  moveMandate(to: MandateState, why: string, change: RowChange<Mandate> = {}): Mandate {
    const mandate = this.requireMandate()
    const state = transition('mandate', mandate.state, to)
    this.note(null, `mandate ${to}`, why)
    return this.putMandate({ ...mandate, ...change, state })
  }

  changeMandate(change: RowChange<Mandate>): Mandate {
    return this.putMandate({ ...this.requireMandate(), ...change })
  }

  /** A new one takes the place of the one before. */
  putMandate(mandate: Mandate): Mandate {
    this.mandate = mandate
    this.changed.mandates.set(mandate.id, mandate)
    return mandate
  }

  requireMandate(): Mandate {
    if (this.mandate === null) throw new Error(`the plan ${this.plan.id} has no mandate`)
    return this.mandate
  }

  /** Writes a decision down without a change of state. */
  note(instalment: Instalment | null, what: string, why: string): void {
    this.effects.push({ kind: 'decided', instalmentId: instalment?.id ?? null, what, why })
  }

  recordEvent<Code extends FlexEventCode>(code: Code, extras: EventExtras<Code>): void {
    this.effects.push({ kind: 'event', of: this.snapshot(), code, extras })
  }

  /** A lock and its end have events of their own, and nobody was told of a draft. */
  recordSchedule(before: LoadedPlan): void {
    if (this.plan.state !== 'draft') this.effects.push({ kind: 'rescheduled', before, of: this.snapshot() })
  }

  notifyFamily(message: MessageKind, details: MessageDetails = {}): void {
    this.effects.push({ kind: 'told', of: this.snapshot(), message, details })
  }

  /** The family is told when it is awake, if it is still so then. */
  notifyOfReturn({ id: instalmentId }: Instalment, debit: ReturnedDebit): void {
    this.effects.push({ kind: 'returned', instalmentId, debit, tellAt: nextWakingMoment(this.now) })
  }

  /** A copy of what it is now, to be compared with later. */
  snapshot(): LoadedPlan {
    const { plan, mandate, instalments } = this
    return { plan, mandate, instalments }
  }

  /** Everything that the next step of an instalment depends on. */
  contextOf(instalment: Instalment): DebitContext {
    return debitContextOf(this, instalment, this.debitRules)
  }

  /** Until there is a mandate the slower rail counts. */
  get rail(): RailRules {
    return this.debitRules.rules.rails[this.mandate?.rail ?? 'enach']
  }

  #putPlan(plan: Plan): void {
    this.plan = plan
    this.changed.plan = true
    // The job that checks mandates tells the provider.
    if (isPauseDue(this)) this.changeMandate({ nextCheckAt: this.now, checks: 0 })
  }
}

/**
 * Takes back a notice whose debit will not come as announced: the family is told, unless the notice has not left yet, and
 * the instalment starts over.
 */
export function withdrawNotice(
  plan: PlanInChange,
  instalment: Instalment,
  why: string,
  change: Partial<Omit<Instalment, 'state'>> = {},
): void {
  const wasNotified = isNotified(instalment, plan.now)
  plan.move(instalment, 'scheduled', `${why}, so the notice was withdrawn`, {
    notifiedAt: null,
    fetchTries: 0,
    nextStepAt: plan.now,
    ...change,
  })
  if (wasNotified) plan.notifyFamily('withdrawn', { day: instalment.presentOn, reason: why })
}

export function withdrawNotices(plan: PlanInChange, why: string): void {
  for (const one of plan.instalments.filter(({ state }) => state === 'confirmed'))
    withdrawNotice(plan, one, why)
}

/**
 * Ends an instalment; what was covered or waived comes back if the money or the fee does. A family that was notified of its
 * debit is notified that it does not take place.
 */
export function endInstalment(
  plan: PlanInChange,
  instalment: Instalment,
  to: 'covered' | 'waived' | 'cancelled',
  { why, toFamily = why, isPlanEnding = false }: { why: string; toFamily?: string; isPlanEnding?: boolean },
): void {
  if (instalment.state === 'confirmed' && isNotified(instalment, plan.now))
    plan.notifyFamily(to === 'cancelled' && isPlanEnding ? 'called_off' : 'withdrawn', {
      day: instalment.presentOn,
      reason: toFamily,
    })
  // The ERP is asked about a waived one once more.
  plan.move(instalment, to, why, { nextStepAt: to === 'waived' ? plan.now : null, notifiedAt: null })
}
