import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  assertMove,
  decide,
  isNoNews,
  nextCheck,
  nextCheckOf,
  payableUntil,
  settleDueOn,
  type Payment,
  type PaymentState,
} from '../../../src/payments/payments.rules.ts'
import type { PaymentOutcome, SettlementItem } from '../../../src/providers/port.ts'
import {
  divideItem,
  judge,
  sumItems,
  type KnownItem,
} from '../../../src/payments/settlements/settlements.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { financialYear } from '../../../src/receipts/receipts.rules.ts'

const STATES: PaymentState[] = ['created', 'pending', 'captured', 'failed']
const amount = fc.integer({ min: 1, max: 10_000_000_000_000 }).map(paiseOf)
const state = fc.constantFrom(...STATES)

function paymentOf(changes: Partial<Payment> = {}): Payment {
  return {
    instituteId: 1,
    id: 'pay_1',
    orderId: 'order_1',
    groupId: null,
    provider: 'sandbox',
    accountId: 'sandbox',
    state: 'created',
    amountPaise: paiseOf(100),
    mode: 'upi',
    providerRef: 'bank_1',
    redirectUrl: null,
    transactionId: null,
    failureCode: null,
    failureMessage: null,
    isDuplicate: false,
    createdAt: new Date(0),
    capturedAt: null,
    settlementId: null,
    isSplit: false,
    checks: 0,
    ...changes,
  }
}

const outcome: fc.Arbitrary<PaymentOutcome> = fc.oneof(
  fc.constant<PaymentOutcome>({ kind: 'open' }),
  fc.constant<PaymentOutcome>({ kind: 'pending' }),
  fc.constant<PaymentOutcome>({ kind: 'failed', code: 'bank_declined', message: 'No.' }),
  fc.constantFrom(100, 100, 100, 99).map((paise): PaymentOutcome => ({
    kind: 'captured',
    amountPaise: paiseOf(paise),
    mode: 'upi',
    transactionId: 'T1',
    capturedAt: new Date(1),
  })),
)

const isMoney = (reported: PaymentOutcome): boolean =>
  reported.kind === 'captured' && reported.amountPaise === 100

/** The state that a decision leads to. */
function after(before: PaymentState, reported: PaymentOutcome, isPaid: boolean): PaymentState {
  const decision = decide(paymentOf({ state: before }), reported, isPaid)
  const to = {
    nothing: before,
    mismatch: before,
    pending: 'pending',
    fail: 'failed',
    capture: 'captured',
  } as const
  return to[decision.kind]
}

test('nothing that is reported changes a captured payment', () => {
  fc.assert(
    fc.property(outcome, fc.boolean(), (reported, isPaid) => {
      assert.deepEqual(decide(paymentOf({ state: 'captured' }), reported, isPaid), { kind: 'nothing' })
    }),
  )
})

test('money wins: a capture of the right amount is taken from every other state, and is a duplicate if the order is paid', () => {
  for (const before of ['created', 'pending', 'failed'] as const) {
    for (const isPaid of [true, false]) {
      const reported: PaymentOutcome = {
        kind: 'captured',
        amountPaise: paiseOf(100),
        mode: 'card',
        transactionId: 'T9',
        capturedAt: new Date(5),
      }
      const decision = decide(paymentOf({ state: before }), reported, isPaid)
      assert.deepEqual(decision, { kind: 'capture', outcome: reported, isDuplicate: isPaid })
    }
  }
})

test('what is no news of a payment moves it neither then nor in any later state', () => {
  const NEXT: Record<PaymentState, PaymentState[]> = {
    created: STATES,
    pending: ['pending', 'captured', 'failed'],
    failed: ['failed', 'captured'],
    captured: ['captured'],
  }
  fc.assert(
    fc.property(state, outcome, fc.boolean(), (before, reported, isPaid) => {
      if (!isNoNews(paymentOf({ state: before }), reported)) return
      for (const later of NEXT[before])
        assert.deepEqual(decide(paymentOf({ state: later }), reported, isPaid), { kind: 'nothing' })
    }),
  )
  assert.equal(isNoNews(paymentOf({ groupId: 'pay_2' }), { kind: 'open' }), false)
})

test('a capture of another amount is never taken', () => {
  fc.assert(
    fc.property(state, amount, amount, fc.boolean(), (before, asked, told, isPaid) => {
      fc.pre(asked !== told)
      const captured = { kind: 'captured', amountPaise: told, mode: 'upi', transactionId: 'T' } as const
      const reported = { ...captured, capturedAt: new Date(0) }
      const { kind } = decide(paymentOf({ state: before, amountPaise: asked }), reported, isPaid)
      assert.equal(kind, before === 'captured' ? 'nothing' : 'mismatch')
    }),
  )
})

test('reports in any order and number make only lawful moves, and a repeat of the last changes nothing', () => {
  fc.assert(
    fc.property(state, fc.array(outcome, { maxLength: 12 }), (first, reports) => {
      let current = first
      for (const reported of reports) {
        const next = after(current, reported, false)
        if (next !== current) assertMove(current, next)
        assert.equal(after(next, reported, false), next)
        current = next
      }
      if (reports.some(isMoney)) assert.equal(current, 'captured')
    }),
    { numRuns: 1_000 },
  )
})

test('a payment never goes back to under way, and a move outside the table is refused', () => {
  for (const from of STATES) assert.throws(() => assertMove(from, 'created'))
  for (const from of ['captured', 'failed', 'pending'] as const)
    assert.throws(() => assertMove(from, 'pending'))
  for (const to of STATES) assert.throws(() => assertMove('captured', to))
})

test('the financial year turns on the first of April, also at the end of a century', () => {
  assert.equal(financialYear('2026-03-31'), '2025-26')
  assert.equal(financialYear('2026-04-01'), '2026-27')
  assert.equal(financialYear('2027-01-01'), '2026-27')
  assert.equal(financialYear('2099-12-31'), '2099-00')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 80_000 }), days => {
      const date = Temporal.PlainDate.from('1990-01-01').add({ days })
      const start = Number(financialYear(date.toString()).slice(0, 4))
      const isBefore = (day: string) => Temporal.PlainDate.compare(date, day) < 0
      assert.ok(!isBefore(`${start}-04-01`) && isBefore(`${start + 1}-04-01`))
    }),
  )
})

test('money is due on a later working day in India, however late in the evening it was taken', () => {
  assert.equal(settleDueOn(new Date('2026-11-16T18:29:59Z'), new Set()), '2026-11-17', 'a minute to midnight')
  assert.equal(settleDueOn(new Date('2026-11-16T18:30:00Z'), new Set()), '2026-11-18', 'midnight')
  assert.equal(
    settleDueOn(new Date('2026-11-13T06:00:00Z'), new Set()),
    '2026-11-16',
    'over a second Saturday',
  )
})

test('the reconciler asks ever more rarely and never stops asking', () => {
  const now = new Date('2026-11-16T00:00:00Z')
  const waits = Array.from({ length: 50 }, (_, checks) => nextCheck(checks, now).getTime() - now.getTime())
  assert.ok(waits.every((wait, index) => wait > 0 && wait >= (waits[index - 1] ?? 0) && wait <= 3_600_000))
})

test('a debit that its bank has is asked about some times at once and then a few times a day; what a payer waits for every hour', () => {
  const now = new Date('2026-11-16T00:00:00Z')
  const waits = (mode: string, state: Payment['state']) =>
    Array.from({ length: 50 }, (_, checks) => ({ checks, mode, state }) as Payment).map(
      payment => nextCheckOf(payment, now).getTime() - now.getTime(),
    )
  const [least, most] = [nextCheck(0, now).getTime() - now.getTime(), 4 * 3_600_000]
  for (const mode of ['enach', 'upi_autopay']) {
    const ofDebit = waits(mode, 'pending')
    assert.ok(ofDebit.every((wait, at) => wait >= (ofDebit[at - 1] ?? least) && wait <= most))
    assert.equal(ofDebit.at(-1), most)
    assert.equal(waits(mode, 'created').at(-1), 3_600_000, 'perhaps the bank never heard of it')
  }
  assert.equal(waits('upi', 'pending').at(-1), 3_600_000)
})

const item: fc.Arbitrary<SettlementItem> = fc.record({
  kind: fc.constantFrom('payment', 'refund'),
  ourId: fc.constantFrom('a', 'b'),
  providerRef: fc.constant('ref'),
  payOutId: fc.constantFrom(undefined, 'UTR2', 'PO3'),
  amountPaise: amount,
  feePaise: fc.integer({ min: 0, max: 10_000 }).map(paiseOf),
})

test('a reported item is settled only if it is known, of the account, done, unsettled and of the same amount; else this pay-out brought it before, or it is shown', () => {
  const known = fc.option(
    fc.record({
      isSame: fc.boolean(),
      isDone: fc.boolean(),
      isOfAccount: fc.boolean(),
      settledUtr: fc.option(fc.constantFrom('UTR1', 'UTR2')),
    }),
  )
  fc.assert(
    fc.property(item, known, (reported, stored) => {
      const { isSame = false, isDone = false, isOfAccount = false, settledUtr = null } = stored ?? {}
      const accountId = isOfAccount ? 'pa_1' : 'pa_2'
      const amountPaise = paiseOf(reported.amountPaise + (isSame ? 0 : 1))
      const ours: KnownItem | undefined =
        stored === null ? undefined : { amountPaise, accountId, isDone, settledUtr }
      const verdict = judge(reported, ours, { accountId: 'pa_1', utr: 'UTR1' })
      const isPayersFee = amountPaise === reported.amountPaise - reported.feePaise
      const isSound = stored !== null && (isSame || isPayersFee) && isDone && isOfAccount
      const isOfThis = settledUtr === 'UTR1' || (settledUtr === 'UTR2' && reported.payOutId === 'UTR2')
      const expected = settledUtr === null ? 'matched' : isOfThis ? 'known' : 'exception'
      assert.equal(verdict.kind, isSound ? expected : 'exception')
      if (verdict.kind === 'exception') assert.equal(verdict.knownPaise, ours?.amountPaise ?? null)
    }),
    { numRuns: 1_000 },
  )
})

const sumOf = (paises: readonly number[]): number => paises.reduce((sum, one) => sum + one, 0)

test('a payment for several orders that was paid out is divided among theirs, amount and fee exact to the paisa', () => {
  const parts = fc.array(
    fc.record({ id: fc.uuid().map(id => `pay_${id}`), amountPaise: amount, returnedPaise: amount }),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(item, parts, fc.nat(100_000), (reported, own, fee) => {
      const known = own.map(part => (reported.kind === 'payment' ? part.amountPaise : part.returnedPaise))
      const whole = { ...reported, amountPaise: paiseOf(sumOf(known)), feePaise: paiseOf(fee) }
      const divided = divideItem(whole, own)
      assert.deepEqual(
        divided.map(part => part.amountPaise),
        known,
      )
      assert.equal(sumOf(divided.map(part => part.feePaise)), fee)
      assert.ok(divided.every((part, index) => part.ourId.endsWith(own[index]?.id.slice(4) ?? '')))
      const odd = { ...whole, amountPaise: paiseOf(whole.amountPaise + fee + 1) }
      assert.deepEqual(divideItem(odd, own), [odd], 'another sum is for a person to look at')
    }),
  )
})

test('a settlement sums payments, refunds and fees apart', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 20 }), items => {
      const sums = sumItems(items)
      const total = items.reduce((sum, each) => sum + each.amountPaise, 0)
      assert.equal(sums.grossPaise + sums.refundPaise, total)
      assert.equal(
        sums.feePaise,
        items.reduce((sum, each) => sum + each.feePaise, 0),
      )
    }),
  )
})

test('a provider’s page outlasts neither its order nor a day, but for the time that providers want', () => {
  const moment = fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.option(moment), moment, (expiresAt, now) => {
      const leftMs = payableUntil({ expiresAt }, now).getTime() - now.getTime()
      const openMs = (expiresAt?.getTime() ?? Infinity) - now.getTime()
      assert.ok(leftMs >= 20 * 60_000 && leftMs <= 24 * 3_600_000)
      assert.ok(leftMs === 20 * 60_000 || leftMs <= openMs)
    }),
  )
})
