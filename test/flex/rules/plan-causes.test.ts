import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyCause, type PlanCause } from '../../../src/flex/rules/plan-causes.rules.ts'
import { PlanInChange } from '../../../src/flex/rules/plan-in-change.rules.ts'
import type { Instalment, Mandate, Plan } from '../../../src/flex/rules/plan.rules.ts'
import { STANDARD_RULES } from '../../../src/flex/rules/rails.rules.ts'
import { newInstalment } from '../../../src/flex/rules/schedule.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'

const NOW = new Date('2026-11-17T04:00:00Z')
const lines = (rupees: number) =>
  rupees === 0 ? [] : [{ componentType: 'TUITION_FEE', amountPaise: paiseOf(rupees * 100) }]

type PlanOptions = {
  plan?: Partial<Plan>
  mandate?: Mandate['state']
  instalments: [dueOn: string, rupees: number, change?: Partial<Instalment>][]
  price: number
  owed: number
}

/** A plan whose schedule fits a fee of 6,000 rupees, and what the student owes by now. */
function given({ plan, mandate = 'active', instalments, price, owed }: PlanOptions): PlanInChange {
  const key = { instituteId: 1, planId: 'plan_1' }
  const fitted = { fittedTo: lines(6_000), outsidePaise: paiseOf(0), isCustom: false, isReplaced: false }
  return new PlanInChange(
    {
      plan: { instituteId: 1, id: 'plan_1', state: 'active', createdAt: NOW, ...fitted, ...plan } as Plan,
      mandate: { id: 'mdt_1', state: mandate, rail: 'enach', endOn: '2027-11-01' } as Mandate,
      instalments: instalments.map(([dueOn, rupees, change], index) => ({
        ...newInstalment(
          { ...key, number: index + 1 },
          { dueOn, isDownpayment: false, referenceId: null, identifier: null, lines: lines(rupees) },
        ),
        ...change,
      })),
    },
    {
      student: { prices: lines(price), owed: lines(owed) },
      debitRules: { rules: STANDARD_RULES, holidays: new Set(), now: NOW },
      now: NOW,
      publicUrl: 'http://127.0.0.1:8080',
    },
  )
}

const CLOSED = { state: 'closed', revivableUntil: new Date('2026-12-31T00:00:00Z') } as const
const COVERED: Partial<Instalment> = { state: 'covered', lines: [] }

function after(plan: PlanInChange, cause: PlanCause) {
  applyCause(plan, cause)
  return {
    plan: plan.plan.state,
    instalments: plan.instalments.map(({ state }) => state),
    events: plan.effects.flatMap(one => (one.kind === 'event' ? [one.code] : [])),
    messages: plan.effects.flatMap(one => (one.kind === 'told' ? [one.message] : [])),
  }
}

test('a plan whose last instalment is paid otherwise covers it and closes', () => {
  const plan = given({
    instalments: [
      ['2026-10-05', 3_000, { state: 'settled' }],
      ['2026-12-05', 3_000],
    ],
    price: 6_000,
    owed: 0,
  })
  assert.deepEqual(after(plan, { kind: 'owed_changed' }), {
    plan: 'closed',
    instalments: ['settled', 'covered'],
    events: ['flex.subscription.closed'],
    messages: [],
  })
})

test('a closed plan whose covered instalment is owed again opens, and the family is told', () => {
  const plan = given({
    plan: CLOSED,
    instalments: [['2026-12-05', 6_000, COVERED]],
    price: 6_000,
    owed: 6_000,
  })
  assert.deepEqual(after(plan, { kind: 'owed_changed' }), {
    plan: 'active',
    instalments: ['scheduled'],
    events: [],
    messages: ['owed_again'],
  })
})

test('a plan that opens again without a mandate leaves what is owed to be paid online', () => {
  const plan = given({
    plan: CLOSED,
    mandate: 'cancelled',
    instalments: [['2026-12-05', 6_000, COVERED]],
    price: 6_000,
    owed: 6_000,
  })
  assert.deepEqual(after(plan, { kind: 'owed_changed' }).instalments, ['due'])
})

test('what was refunded is due online in the plan that is open, and nowhere in one that was replaced', () => {
  const refunded = { kind: 'refunded', lines: lines(1_000), origin: undefined } as const
  const paid = {
    instalments: [['2026-10-05', 6_000, { state: 'settled' }]] as PlanOptions['instalments'],
    price: 6_000,
    owed: 1_000,
  }
  assert.deepEqual(after(given({ ...paid, plan: CLOSED }), refunded), {
    plan: 'active',
    instalments: ['settled', 'due'],
    events: [],
    messages: ['owed_again'],
  })
  const replaced = given({ ...paid, plan: { ...CLOSED, isReplaced: true } })
  assert.equal(after(replaced, refunded).plan, 'closed')
  assert.deepEqual([replaced.changed.plan, replaced.changed.instalments.size], [false, 0])
})

test('a debit that the bank took back opens a closed plan and is not presented again by itself', () => {
  const plan = given({
    plan: CLOSED,
    instalments: [['2026-10-05', 6_000, { state: 'reversed' }]],
    price: 6_000,
    owed: 6_000,
  })
  assert.deepEqual(after(plan, { kind: 'debit_reversed', isCharged: false }), {
    plan: 'active',
    instalments: ['reversed'],
    events: [],
    messages: [],
  })
})

test('the schedule that an ERP sent replaces what is to come, and what it leaves open is owed outside of the plan', () => {
  const plan = given({ instalments: [['2026-12-05', 6_000]], price: 6_000, owed: 6_000 })
  const row = { dueOn: '2027-01-05', isDownpayment: false, referenceId: 'R-1', identifier: null }
  const rows = [{ ...row, lines: lines(4_000) }]
  assert.deepEqual(after(plan, { kind: 'erp_sent_schedule', rows }).instalments, ['cancelled', 'scheduled'])
  assert.deepEqual([plan.plan.isCustom, plan.plan.outsidePaise], [true, 200_000])
})

test('the same state and cause give the same state and effects, and change nothing that was given', () => {
  const asked: PlanOptions = {
    instalments: [
      ['2026-12-05', 3_000],
      ['2027-01-05', 3_000],
    ],
    price: 6_000,
    owed: 4_000,
  }
  const plan = given(asked)
  const before = structuredClone(plan.before)
  const first = after(plan, { kind: 'owed_changed' })
  assert.deepEqual(plan.before, before)
  assert.deepEqual(after(given(asked), { kind: 'owed_changed' }), first)
})
