import { afterReturn } from '../../../src/flex/rules/returns.rules.ts'
import {
  afterFetch,
  nextStep,
  presentationDay,
  TRANSFERRED,
  type DebitContext,
} from '../../../src/flex/rules/debit.rules.ts'
import {
  sumLines,
  type Instalment,
  transition,
  type InstalmentState,
  type PlanState,
} from '../../../src/flex/rules/plan.rules.ts'
import { STANDARD_RULES, type FlexRules } from '../../../src/flex/rules/rails.rules.ts'
import { addDays, dayOf, startOfDay } from '../../../src/platform/calendar.ts'
import assert from 'node:assert/strict'
import { paiseOf } from '../../../src/platform/money.ts'
import { drawFrom } from '../../harness/random.ts'
import {
  DAY_MS,
  dayAfter,
  emptyLog,
  erpAt,
  HOUR_MS,
  instalmentOf,
  isCalm,
  isClosed,
  isUnderWay,
  knownHolidays,
  mandateOf,
  sentAt,
  SETUP,
  whenUp,
  type Trouble,
} from './trouble.ts'

/** One plan, driven through time by the rules as the engine does it; it writes down what happens. */
export class World {
  readonly log = emptyLog()
  readonly instalments: Instalment[]
  readonly trouble: Trouble
  readonly rules: FlexRules
  cancelledAt: Date | null = null
  private now: Date = startOfDay(SETUP)
  private readonly plan: DebitContext['plan'] = { state: 'active', isHeld: false, lockReason: null }
  private mandate = { authorisedAt: startOfDay(SETUP), isActive: true }
  private readonly due = new Map<Instalment, { at: Date; act: () => void }>()
  private readonly later: { at: Date; act: () => void }[] = []
  private readonly told = new Map<string, { at: Date; amountPaise: number }>()
  private readonly returns = new Map<string, { at: Date; code: string }>()
  private readonly draw: (below: number) => number

  constructor(trouble: Trouble) {
    this.trouble = trouble
    this.draw = drawFrom(trouble.seed)
    this.rules = { ...STANDARD_RULES, onHoliday: trouble.onHoliday }
    this.instalments = trouble.dueAfter.map((days, index) => instalmentOf(index, addDays(SETUP, days)))
    const takenDays = new Set<string>()
    for (const one of this.instalments) {
      const on = { setUpOn: SETUP, rail: this.rail, rules: this.rules, holidays: this.holidays, takenDays }
      one.presentOn = presentationDay(one.dueOn, on)
      takenDays.add(one.presentOn)
      this.wake(one)
    }
    for (const hold of trouble.holds) {
      this.later.push({ at: dayAfter(hold.from), act: () => (this.plan.isHeld = true) })
      this.later.push({ at: dayAfter(hold.from + hold.days), act: () => this.resume() })
    }
    for (const payment of trouble.payments)
      this.later.push({ at: dayAfter(payment), act: () => this.payOtherwise() })
  }

  get rail() {
    return this.rules.rails[this.trouble.rail]
  }

  /** Banks' closed days as far as they are known at the moment. */
  get holidays(): ReadonlySet<string> {
    return knownHolidays(this.trouble, this.now)
  }

  run(days: number): this {
    const end = dayAfter(days)
    for (let turns = 0; ; turns++) {
      assert.ok(turns < 20_000, 'it never comes to rest')
      const [next] = [...this.due.values(), ...this.later].sort(
        (one, two) => one.at.getTime() - two.at.getTime(),
      )
      if (next === undefined || next.at > end) return this
      const at = whenUp(this.trouble, next.at)
      this.now = this.within(5_000, at > this.now ? at : this.now)
      const index = this.later.findIndex(one => one === next)
      if (index >= 0) this.later.splice(index, 1)
      next.act()
    }
  }

  private step(one: Instalment): void {
    this.due.delete(one)
    for (let moves = 0; ;) {
      const step = nextStep(this.debitContextOf(one))
      switch (step.kind) {
        case 'rest':
          return
        case 'wait':
          this.log.waits.push({ at: this.now, until: step.until })
          return this.wake(one, step.until)
        case 'move':
          assert.ok(++moves <= 1, `moved again at once: ${step.why}`)
          this.log.moves.push({ at: this.now, before: { ...one } })
          if (one.state === 'confirmed') this.to(one, 'scheduled')
          this.restart(one, step.presentOn)
          break
        case 'fetch':
          this.fetch(one)
          moves = 0
          if (one.state !== 'confirmed') return
          break
        case 'announce':
          one.announcedFor = one.notifiedAt
          break
        case 'present':
          return this.present(one, step.amountPaise)
      }
    }
  }

  private fetch(one: Instalment): void {
    const word = erpAt(this.trouble, this.now)
    const wasSkipped = one.state === 'skipped'
    const askedAt = this.now
    // Most answers come at once; a process that fails may also stand still between the question and the answer.
    const isStill = this.trouble.down.length > 0 && !this.isCalm && this.draw(40) < 1
    this.now = this.within(isStill ? 4 * HOUR_MS : 15_000)
    const context = this.debitContextOf(one)
    const after = afterFetch(context, this.rail, word)
    this.log.asks.push({ id: one.id, askedAt, answeredAt: this.now, wasSkipped, next: after.kind })
    switch (after.kind) {
      case 'confirm':
        this.to(one, 'confirmed')
        one.notifiedAt = after.notifyAt
        this.log.notices.push({ context, leavesAt: after.notifyAt })
        this.told.set(one.id, {
          at: sentAt(this.trouble, after.notifyAt, this.draw),
          amountPaise: sumLines(one.lines),
        })
        return
      case 'reschedule':
        this.log.reschedules.push({ presentOn: after.presentOn, context })
        if (one.state !== 'scheduled') this.to(one, 'scheduled')
        this.restart(one, after.presentOn)
        if (this.plan.state === 'locked') this.resume()
        return this.wake(one)
      case 'ask_again':
        one.fetchTries += 1
        assert.ok(after.at > this.now)
        return this.wake(one, after.at)
      case 'skip':
        if (one.state !== 'skipped') this.to(one, 'skipped')
        return this.wake(one, after.askAgainAt)
      case 'cancel_plan':
        this.planTo('cancelled')
        this.cancelledAt = this.now
        for (const each of this.instalments)
          if (!['presented', 'debited', 'cancelled'].includes(each.state)) this.to(each, 'cancelled')
        return
      case 'lock_plan':
        if (this.plan.state === 'active') this.planTo('locked', TRANSFERRED)
        if (this.draw(3) < 1) this.later.push({ at: this.within(9 * DAY_MS), act: () => this.resume() })
        // Whatever else wakes one that is far ahead must not draw it near.
        if (this.draw(2) < 1)
          for (const each of this.instalments) if (each.state === 'scheduled') this.wake(each)
        return this.wake(one, after.askAgainAt)
    }
  }

  private present(one: Instalment, amountPaise: number): void {
    const day = dayOf(this.now)
    this.log.presentations.push({
      id: one.id,
      at: this.now,
      day,
      amountPaise,
      notice: this.told.get(one.id) ?? null,
      isBankDay: !isClosed(day) && !this.holidays.has(day),
      planState: this.plan.state,
      isHeld: this.plan.isHeld,
      setUpOn: dayOf(this.mandate.authorisedAt),
      counted: one.attempt + 1,
      wasPaid: one.orderId !== null,
      lastReturn: this.returns.get(one.id) ?? null,
    })
    this.to(one, 'presented')
    one.attempt += 1
    one.presentedOn = day
    this.due.set(one, { at: this.within(this.trouble.resultHours * HOUR_MS), act: () => this.hear(one) })
  }

  private hear(one: Instalment): void {
    this.due.delete(one)
    const code = this.isCalm ? null : (this.trouble.bank[this.draw(this.trouble.bank.length)] ?? null)
    if (code === null) {
      this.to(one, 'debited')
      one.orderId = `paid ${one.id}`
      return
    }
    const after = afterReturn(this.debitContextOf(one), this.rail, code)
    if (after.kind === 'wait') {
      this.due.set(one, { at: this.within(9 * HOUR_MS), act: () => this.hear(one) })
      return
    }
    this.returns.set(one.id, { at: this.now, code })
    one.returnCode = code
    if (after.kind === 'retry') {
      this.to(one, 'confirmed')
      this.log.retries.push({ returnedAt: this.now, at: after.at, notifiedAt: one.notifiedAt })
      return this.wake(one, after.at)
    }
    this.to(one, 'bounced')
    if (after.kind === 'mandate_ended') this.endMandate()
    if (after.kind !== 'schedule') return
    if (!after.counts) {
      one.attempt -= 1
      one.bankReturns += 1
      one.firstBankReturnAt ??= this.now
      this.log.bankRetries.push({ firstAt: one.firstBankReturnAt, presentOn: after.presentOn })
    }
    this.to(one, 'scheduled')
    this.restart(one, after.presentOn)
    this.wake(one)
  }

  /** The parent gives another mandate some days later; the days of the instalments are left to the rules. */
  private endMandate(): void {
    this.mandate.isActive = false
    if (this.plan.state === 'active') this.planTo('locked')
    const act = () => {
      this.mandate = { authorisedAt: this.now, isActive: true }
      this.resume()
    }
    this.later.push({ at: this.within(9 * DAY_MS), act })
  }

  private resume(): void {
    this.plan.isHeld = false
    if (this.plan.state === 'locked' && this.mandate.isActive) this.planTo('active')
    for (const one of this.instalments) if (!this.due.has(one)) this.wake(one)
  }

  private payOtherwise(): void {
    const one = this.instalments.find(each => each.state === 'confirmed')
    if (one === undefined) return
    this.to(one, 'scheduled')
    one.lines = one.lines.map(line => ({ ...line, amountPaise: paiseOf(line.amountPaise - 1) }))
    this.restart(one, one.presentOn)
    this.wake(one)
  }

  private restart(one: Instalment, presentOn: string): void {
    one.presentOn = presentOn
    one.notifiedAt = null
    one.fetchTries = 0
    this.told.delete(one.id)
  }

  private debitContextOf(instalment: Instalment): DebitContext {
    const leftAt = this.told.get(instalment.id)?.at
    const others = this.instalments.filter(one => one !== instalment && isUnderWay(one))
    return {
      plan: this.plan,
      instalment: { ...instalment },
      mandate: mandateOf(this.trouble, this.mandate),
      takenDays: new Set(others.map(one => one.presentOn)),
      noticeLeftAt: leftAt === undefined || leftAt <= this.now ? leftAt : null,
      rules: this.rules,
      holidays: this.holidays,
      now: this.now,
    }
  }

  private to(one: Instalment, state: InstalmentState): void {
    one.state = transition('instalment', one.state, state)
  }

  private planTo(state: PlanState, lockReason: string | null = null): void {
    Object.assign(this.plan, { state: transition('plan', this.plan.state, state), lockReason })
  }

  private wake(one: Instalment, at: Date = this.now): void {
    this.due.set(one, { at, act: () => this.step(one) })
  }

  /** Some moment within so many milliseconds. */
  private within(ms: number, from = this.now): Date {
    return new Date(from.getTime() + 1 + this.draw(ms))
  }

  private get isCalm(): boolean {
    return isCalm(this.trouble, this.now)
  }
}
