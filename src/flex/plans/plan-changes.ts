import type { NewEvent } from '../../events/define-event.ts'
import type { NewMessage } from '../../messages/messages.rules.ts'
import { nextWakingMoment } from '../../messages/quiet-hours.rules.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { messagesToFamily, type MessageDetails, type MessageKind } from '../notices/family.texts.ts'
import type { Bounce } from '../notices/bounces.store.ts'
import { debitContextOf, type DebitContext, type DebitRules } from '../rules/debit.rules.ts'
import {
  isDone,
  isPauseDue,
  noticeIdOf,
  type Instalment,
  type LoadedPlan,
  type Mandate,
  type Plan,
} from '../rules/plan.rules.ts'
import type { RailRules } from '../rules/rails.rules.ts'
import { transition, type InstalmentState, type MandateState, type PlanState } from '../rules/states.rules.ts'
import { flexEvent, type EventExtras, type FlexEventCode, type Reason } from './plan.events.ts'
import type { Decision } from '../engine/decisions.store.ts'
import { addAll } from '../../platform/lists.ts'

type Surroundings = { student: StudentContext; debitRules: DebitRules; now: Date; publicUrl: string }

type Changed<Row> = Partial<Omit<Row, 'state'>>

/**
 * One plan while it is changed under its lock, with everything that the change brings along: decisions with their
 * reasons, events, messages. `withPlans` writes it all in the transaction. States change only by `move…`.
 */
export class PlanChanges implements LoadedPlan {
  plan: Plan
  mandate: Mandate | null
  instalments: Instalment[]
  /** As it was when it was locked. */
  readonly before: LoadedPlan
  readonly student: StudentContext
  readonly debitRules: DebitRules
  readonly now: Date
  /** Where the family sees the plan and what to do. */
  readonly pageUrl: string
  /** What has to be written; rows by id, as they are now. */
  readonly written = {
    isPlanChanged: false,
    mandates: new Map<string, Mandate>(),
    instalments: new Map<string, Instalment>(),
    decisions: [] as Decision[],
    events: [] as NewEvent[],
    messages: [] as NewMessage[],
    bounces: [] as Bounce[],
    /** Instalments of which nobody needs to be reminded any more. */
    done: [] as { instituteId: number; about: string; id: string }[],
    /** Notices that were withdrawn before they left. */
    unsent: [] as { instituteId: number; once: string }[],
  }

  constructor(
    { plan, mandate, instalments }: LoadedPlan,
    { student, debitRules, now, publicUrl }: Surroundings,
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

  movePlan(to: PlanState, why: string, change: Changed<Plan> = {}): void {
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

  changePlan(change: Changed<Plan>): void {
    this.#putPlan({ ...this.plan, ...change })
  }

  /** The reason is what a bursar reads. */
  move(
    instalment: Instalment,
    to: InstalmentState,
    why: string,
    change: Changed<Instalment> = {},
  ): Instalment {
    const state = transition('instalment', instalment.state, to)
    this.note(instalment, to, why)
    if (isDone({ state })) this.written.done.push({ ...this.#key, about: this.plan.id, id: instalment.id })
    return this.put({ ...instalment, ...change, state })
  }

  change(instalment: Instalment, change: Changed<Instalment>): Instalment {
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
      this.written.unsent.push({ ...this.#key, once: noticeIdOf(known) })
    this.written.instalments.set(changed.id, changed)
    return changed
  }

  find(instalmentId: string): Instalment | undefined {
    return this.instalments.find(({ id }) => id === instalmentId)
  }

  moveMandate(to: MandateState, why: string, change: Changed<Mandate> = {}): Mandate {
    const mandate = this.requireMandate()
    const state = transition('mandate', mandate.state, to)
    this.note(null, `mandate ${to}`, why)
    return this.putMandate({ ...mandate, ...change, state })
  }

  changeMandate(change: Changed<Mandate>): Mandate {
    return this.putMandate({ ...this.requireMandate(), ...change })
  }

  /** A new one takes the place of the one before. */
  putMandate(mandate: Mandate): Mandate {
    this.mandate = mandate
    this.written.mandates.set(mandate.id, mandate)
    return mandate
  }

  requireMandate(): Mandate {
    if (this.mandate === null) throw new Error(`the plan ${this.plan.id} has no mandate`)
    return this.mandate
  }

  /** Writes a decision down without a change of state. */
  note(instalment: Instalment | null, what: string, why: string): void {
    const instalmentId = instalment?.id ?? null
    const decidedAt = this.now
    this.written.decisions.push({ ...this.#key, planId: this.plan.id, instalmentId, decidedAt, what, why })
  }

  recordEvent<Code extends FlexEventCode>(code: Code, extras: EventExtras<Code>): void {
    this.written.events.push(flexEvent(code, this, extras))
  }

  notifyFamily(kind: MessageKind, details: MessageDetails = {}): void {
    addAll(this.written.messages, messagesToFamily(kind, this, { at: this.now, ...details }))
  }

  /** The family is told when it is awake, if it is still so then. */
  notifyOfBounce(
    { id: instalmentId }: Instalment,
    bounce: Pick<Bounce, 'kind' | 'amountPaise' | 'reason'>,
  ): void {
    const moments = { returnedAt: this.now, tellAt: nextWakingMoment(this.now) }
    this.written.bounces.push({ ...bounce, ...moments, ...this.#key, planId: this.plan.id, instalmentId })
  }

  /** As it is now, to be compared with later. */
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

  get #key(): { instituteId: number } {
    return { instituteId: this.plan.instituteId }
  }

  #putPlan(plan: Plan): void {
    this.plan = plan
    this.written.isPlanChanged = true
    // The job that checks mandates tells the provider.
    if (isPauseDue(this)) this.changeMandate({ nextCheckAt: this.now, checks: 0 })
  }
}
