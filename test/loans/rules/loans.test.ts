import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PlannedTranche, LenderUpdate } from '../../../src/loans/lender-port.ts'
import {
  allocate,
  amountToAsk,
  emiOf,
  assertMove,
  canEnd,
  canMove,
  isOver,
  judge,
  LOAN_STATES,
  mayOvertake,
  nextCheck,
  trancheOf,
  type LoanFile,
  type LoanState,
  type Tranche,
} from '../../../src/loans/loans.rules.ts'
import { lenderMove, type LenderAct, type LenderLoan } from '../../../src/sandbox/lender/simulator.rules.ts'
import { BursarError } from '../../../src/platform/errors.ts'
import { application, AT } from './support.ts'
import { paiseOf, sumPaise, type Paise } from '../../../src/platform/money.ts'

const amounts = fc.integer({ min: 1, max: 1e9 }).map(paiseOf)
const states = fc.constantFrom(...LOAN_STATES)

const file = (state: LoanState): LoanFile => ({
  application: application(state),
  tranches: [],
  payOuts: [],
  emis: [],
})

test('a tranche pays what is owed, oldest component first, and the rest is an advance on the first', () => {
  const lines = fc.uniqueArray(
    fc.record({ componentType: fc.string({ minLength: 1 }), amountPaise: amounts }),
    {
      selector: line => line.componentType,
      maxLength: 8,
    },
  )
  fc.assert(
    fc.property(lines, amounts, fc.boolean(), (owed, amount, isFirstPaid) => {
      const components = [...(isFirstPaid ? ['PAID'] : []), ...owed.map(line => line.componentType)]
      const paid = allocate(amount, { owed, components })
      assert.equal(sumPaise(paid.map(line => line.amountPaise)), amount)
      assert.ok(paid.every(line => line.amountPaise > 0))
      assert.equal(new Set(paid.map(line => line.componentType)).size, paid.length)
      const due = sumPaise(owed.map(line => line.amountPaise))
      const of = (type: string): number => paid.find(line => line.componentType === type)?.amountPaise ?? 0
      const first = components[0] ?? 'FEES'
      const advance = Math.max(0, amount - due)
      let left: number = amount - advance
      for (const { componentType, amountPaise } of owed) {
        const part = Math.min(left, amountPaise)
        assert.equal(of(componentType), part + (componentType === first ? advance : 0))
        left -= part
      }
    }),
  )
})

test('what is asked for lies within what is owed and what the lender lends', () => {
  const limits = { leastPaise: paiseOf(100_000), mostPaise: paiseOf(500_000_000) }
  fc.assert(
    fc.property(fc.option(amounts, { nil: undefined }), fc.nat(1e9).map(paiseOf), (asked, owed) => {
      let amount: Paise
      try {
        amount = amountToAsk(asked, owed, limits)
      } catch (error) {
        assert.ok(error instanceof BursarError && ['HUE00000', 'HUE00002'].includes(error.code))
        const most = Math.min(owed, limits.mostPaise)
        const wanted = asked ?? most
        assert.ok(owed < limits.leastPaise || wanted > most || wanted < limits.leastPaise)
        return
      }
      assert.ok(amount >= limits.leastPaise && amount <= owed && amount <= limits.mostPaise)
      if (asked !== undefined) assert.equal(amount, asked)
    }),
  )
})

test('only the moves of the table are made; every other one is an assertion', () => {
  fc.assert(
    fc.property(states, states, (from, to) => {
      if (canMove(from, to)) assertMove(from, to)
      else assert.throws(() => assertMove(from, to), /cannot move/)
      assert.ok(!(canMove(from, to) && canMove(to, from)), 'no way leads back')
      if (isOver(from)) assert.ok(!canEnd(from))
    }),
  )
})

const ACTS: LenderAct[] = [
  { kind: 'fill' },
  { kind: 'approve' },
  { kind: 'reject' },
  { kind: 'sign' },
  { kind: 'disburse' },
  { kind: 'disburse', amountPaise: paiseOf(10_000) },
  { kind: 'emi' },
  { kind: 'expire' },
  { kind: 'cancel' },
]

const LOAN: LenderLoan = {
  instituteId: 1,
  ref: 'lend_0123456789abc',
  applicationId: 'loan_1',
  state: 'open',
  askedPaise: paiseOf(100_000),
  approvedPaise: null,
  borrower: { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' },
  description: 'Fees',
  tranches: [],
  returnUrl: '',
}

/** What a lender that is told anything in any order has to tell. */
function historyOf(acts: readonly LenderAct[]): LenderUpdate[] {
  let loan = LOAN
  const history: LenderUpdate[] = []
  for (const act of acts) {
    try {
      const move = lenderMove(loan, act, { now: AT, history })
      if (move === null) continue
      loan = move.loan
      if (move.update !== null) history.push(move.update)
    } catch (error) {
      assert.ok(error instanceof BursarError, 'an amount that is too large')
    }
  }
  return history
}

/** The state that a step leads to; pay-outs and EMIs lead to none. */
const LEADS: Partial<Record<LenderUpdate['kind'], LoanState>> = {
  filled: 'filled',
  approved: 'final_approved',
  signed: 'agreement_signed',
  rejected: 'rejected',
  canceled: 'canceled',
  expired: 'expired',
}

/** As little of an application as `judge` looks at, moved on by an update. */
function applied({ application: before, payOuts, emis, tranches }: LoanFile, update: LenderUpdate): LoanFile {
  const to = LEADS[update.kind]
  const moved = to === undefined ? before : { ...before, state: to }
  const one = {
    id: '',
    paymentId: '',
    orderId: '',
    trancheId: '',
    reference: '',
    receivedAt: null,
    missingAt: null,
    returnedPaise: paiseOf(0),
    returnedAt: null,
    withdrawnAt: null,
    remindedAt: null,
    paidOutAt: AT,
  }
  return {
    application: moved,
    tranches,
    payOuts: update.kind === 'paid_out' ? [...payOuts, { ...one, ...update.payOut }] : payOuts,
    emis:
      update.kind === 'emi_debited'
        ? [...emis, { ...update.emi, ...one, lenderRef: update.emi.ref, paidAt: AT }]
        : emis,
  }
}

test('whatever a lender can tell leads to one end, in whatever order and however often it comes', () => {
  const taken = ACTS.filter(({ kind }) => kind === 'fill' || kind === 'approve' || kind === 'sign')
  const plays = fc
    .tuple(fc.constantFrom([], taken), fc.array(fc.constantFrom(...ACTS), { maxLength: 24 }))
    .map(([first, rest]) => historyOf([...first, ...rest]))
  const tellings = plays.chain(history =>
    fc.record({
      history: fc.constant(history),
      heard: fc.array(fc.nat(Math.max(0, history.length - 1)), { maxLength: 30 }),
    }),
  )
  fc.assert(
    fc.property(tellings, ({ history, heard }) => {
      const applies: LenderUpdate[] = []
      let now = file('started')
      const hear = (update: LenderUpdate): string => {
        const verdict = judge(now, update)
        if (verdict === 'apply') {
          applies.push(update)
          now = applied(now, update)
        }
        return verdict
      }
      for (const index of heard) {
        const update = history[index]
        if (update === undefined) continue
        // Something is missing, or may be: the lender is asked for all it has told.
        if (mayOvertake(update) || hear(update) === 'ahead')
          for (const one of history) assert.notEqual(hear(one), 'ahead')
      }
      for (const one of history) assert.notEqual(hear(one), 'ahead')
      assert.deepEqual(new Set(applies), new Set(history), 'everything counts')
      assert.equal(applies.length, history.length, 'once')
      for (const one of history) assert.equal(hear(one), 'nothing')
    }),
    { numRuns: 500 },
  )
})

const tranche = (amountPaise: Paise): Tranche => ({
  id: 'disb_1',
  number: 1,
  lenderRef: 'T1',
  state: 'planned',
  plannedOn: '2026-12-01',
  amountPaise,
  disbursedPaise: null,
  settlementUtr: null,
  failure: null,
})

test('a part of a tranche leaves the rest; together they are the tranche', () => {
  fc.assert(
    fc.property(amounts, amounts, amounts, (planned, paid, left) => {
      const rest: PlannedTranche = { ref: 'T2', plannedOn: '2026-12-01', amountPaise: left }
      const payOut = {
        number: 1,
        trancheRef: 'T1',
        day: '2026-12-01',
        amountPaise: paid,
        rest,
        reference: 'R',
      }
      const found = trancheOf([tranche(planned)], payOut)
      assert.ok(found.kind === 'planned' && found.amountPaise > 0)
      assert.equal(found.amountPaise + (found.rest?.amountPaise ?? 0), planned)
      const taken: Tranche = { ...tranche(planned), state: 'received' }
      assert.deepEqual(trancheOf([taken], payOut), { kind: 'unplanned', amountPaise: paid })
    }),
  )
})

test('EMIs pay the loan back with its interest, and without interest to the paisa', () => {
  const terms = fc.record({
    yearlyRatePercent: fc.constantFrom(0, 9, 12, 18.5, 36),
    months: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 100_000, max: 1e10 }).map(paiseOf), terms, (amount, one) => {
      const emi = emiOf(amount, one)
      const rate = one.yearlyRatePercent / 1_200
      let left: number = amount
      for (let month = 0; month < one.months; month++) left = left * (1 + rate) - emi
      const growth = (1 + rate) ** one.months
      assert.ok(Math.abs(left) <= one.months * growth + 1, `${left} paise left of ${amount}`)
    }),
  )
})

test('the lender is asked until the end is known, never about what it was not sent, and not for ever about EMIs', () => {
  fc.assert(
    fc.property(states, fc.nat(50), fc.boolean(), (state, checks, isSent) => {
      const one = application(state, { checks, sentAt: isSent ? AT : null, signedAt: AT })
      const next = nextCheck(one, AT)
      if (isOver(state) && state !== 'disbursed') assert.equal(next, null)
      else assert.ok(next !== null && next > AT)
      if (canEnd(state)) assert.ok(next !== null && next <= one.expiresAt)
      if (canEnd(state) && !isSent) assert.deepEqual(next, one.expiresAt)
      const later = new Date(AT.getTime() + 6 * 366 * 86_400_000)
      if (state === 'disbursed') assert.equal(nextCheck(one, later), null)
    }),
  )
})
