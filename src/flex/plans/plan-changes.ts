import { recordEvents, type NewEvent } from '../../events/events.service.ts'
import { queueMessages, stopReminders } from '../../messages/messages.service.ts'
import type { NewMessage } from '../../messages/messages.rules.ts'
import { nextWakingMoment } from '../../messages/quiet-hours.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import * as store from './plans.store.ts'
import {
  assertInstalmentMove,
  assertMandateMove,
  assertPlanMove,
  isDone,
  type Instalment,
  type InstalmentState,
  type Mandate,
  type MandateState,
  type Plan,
  type LoadedPlan,
  type PlanState,
} from '../rules/plan.rules.ts'

/**
 * What is decided while plans lie on the desk, written in one transaction with as few statements whether it was one plan
 * or a thousand. Moves are asserted here, and every decision leaves its reason behind.
 */
export class Desk {
  readonly now: Date
  readonly #plans = new Map<string, Plan>()
  readonly #instalments = new Map<string, Instalment>()
  readonly #mandates = new Map<string, Mandate>()
  readonly #decisions: store.Decision[] = []
  readonly #events: NewEvent[] = []
  readonly #messages: NewMessage[] = []
  readonly #bounces: store.Bounce[] = []
  readonly #done: { instituteId: number; about: string; id: string }[] = []

  constructor(now: Date) {
    this.now = now
  }

  movePlan(file: LoadedPlan, to: PlanState, why: string): void {
    assertPlanMove(file.plan.state, to)
    this.changePlan(file, { state: to })
    this.note(file, null, `plan ${to}`, why)
  }

  changePlan(file: LoadedPlan, change: Partial<Plan>): void {
    file.plan = { ...file.plan, ...change }
    this.#plans.set(file.plan.id, file.plan)
  }

  /** The reason is what a bursar reads. */
  move(
    file: LoadedPlan,
    instalment: Instalment,
    to: InstalmentState,
    why: string,
    change: Partial<Instalment> = {},
  ): Instalment {
    assertInstalmentMove(instalment.state, to)
    this.note(file, instalment, to, why)
    if (isDone({ state: to }))
      this.#done.push({ instituteId: file.plan.instituteId, about: file.plan.id, id: instalment.id })
    return this.change(file, instalment, { ...change, state: to })
  }

  change(file: LoadedPlan, instalment: Instalment, change: Partial<Instalment>): Instalment {
    const changed = { ...instalment, ...change }
    file.instalments = file.instalments.some(one => one.id === changed.id)
      ? file.instalments.map(one => (one.id === changed.id ? changed : one))
      : [...file.instalments, changed]
    this.#instalments.set(changed.id, changed)
    return changed
  }

  moveMandate(file: LoadedPlan, to: MandateState, why: string, change: Partial<Mandate> = {}): Mandate {
    const { mandate } = file
    if (mandate === null) throw new Error(`the plan ${file.plan.id} has no mandate`)
    assertMandateMove(mandate.state, to)
    this.note(file, null, `mandate ${to}`, why)
    return this.putMandate(file, { ...mandate, ...change, state: to })
  }

  putMandate(file: LoadedPlan, mandate: Mandate): Mandate {
    file.mandate = mandate
    this.#mandates.set(mandate.id, mandate)
    return mandate
  }

  note({ plan }: LoadedPlan, instalment: Instalment | null, what: string, why: string): void {
    const { instituteId, id: planId } = plan
    const instalmentId = instalment?.id ?? null
    this.#decisions.push({ instituteId, planId, instalmentId, decidedAt: this.now, what, why })
  }

  tell(event: NewEvent): void {
    this.#events.push(event)
  }

  /** The family is told when it is awake, if it is still so then. */
  tellBounce(
    { plan }: LoadedPlan,
    { id: instalmentId }: Instalment,
    bounce: Pick<store.Bounce, 'kind' | 'amountPaise' | 'reason'>,
  ): void {
    const { instituteId, id: planId } = plan
    const moments = { returnedAt: this.now, tellAt: nextWakingMoment(this.now) }
    this.#bounces.push({ ...bounce, ...moments, instituteId, planId, instalmentId })
  }

  send(messages: readonly NewMessage[]): void {
    this.#messages.push(...messages)
  }

  async write(tx: Transaction): Promise<void> {
    if (this.#plans.size > 0) await store.savePlans(tx, [...this.#plans.values()])
    if (this.#mandates.size > 0) await store.saveMandates(tx, [...this.#mandates.values()])
    if (this.#instalments.size > 0) await store.saveInstalments(tx, [...this.#instalments.values()])
    if (this.#decisions.length > 0) await store.insertDecisions(tx, this.#decisions)
    await recordEvents(tx, this.#events)
    if (this.#bounces.length > 0) await store.saveBounces(tx, this.#bounces)
    await stopReminders(tx, this.#done)
    await queueMessages(tx, this.#messages)
  }
}
