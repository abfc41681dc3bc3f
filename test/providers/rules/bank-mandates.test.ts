import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  debitDecidedAt,
  judgeDebit,
  mandateMove,
  obeyDebit,
  type BankDebit,
  type BankMandate,
} from '../../../src/sandbox/bank/simulator.rules.ts'
import { dayOf, isWorkingDay } from '../../../src/platform/calendar.ts'
import { paiseOf } from '../../../src/platform/money.ts'

const HOLIDAYS = new Set(['2026-11-09'])
const moment = fc
  .integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') })
  .map(value => new Date(value))

const mandate: BankMandate = {
  instituteId: 1,
  ref: 'bank_1k092c8gpz8wezh4es8gqprf85',
  mandateId: 'mdt_1',
  rail: 'enach',
  state: 'open',
  capPaise: paiseOf(10_000_00),
  startOn: '2026-01-01',
  endOn: '2027-12-31',
  description: 'Fees',
  umrn: null,
  upiReference: null,
  failureCode: null,
  isPaused: false,
  returnUrl: '',
}

const debit: BankDebit = {
  instituteId: 1,
  ref: mandate.ref,
  paymentId: 'pay_1',
  amountPaise: paiseOf(500_00),
  mode: 'enach',
  state: 'pending',
  decideAt: null,
  scriptedCode: null,
  hasWaited: false,
  isReturned: false,
  mandateState: 'active',
  isPaused: false,
  capPaise: mandate.capPaise,
  startOn: mandate.startOn,
  endOn: mandate.endOn,
}

test('an eNACH mandate is confirmed at ten on the next working day, never on the same one', () => {
  fc.assert(
    fc.property(moment, now => {
      const move = mandateMove(mandate, 'approve', { now, holidays: HOLIDAYS })
      const at = move?.confirmAt
      assert.ok(at instanceof Date && dayOf(at) > dayOf(now) && isWorkingDay(dayOf(at), HOLIDAYS))
      assert.match(at.toISOString(), /T04:30:00.000Z$/)
      assert.equal(move?.umrn?.length, 20)
    }),
  )
  const friday = new Date('2026-11-06T12:00:00+05:30')
  const move = mandateMove(mandate, 'approve', { now: friday, holidays: HOLIDAYS })
  assert.equal(
    dayOf(move?.confirmAt ?? friday),
    '2026-11-07',
    'the first Saturday of a month is a working day',
  )
  const saturday = new Date('2026-11-07T12:00:00+05:30')
  const later = mandateMove(mandate, 'approve', { now: saturday, holidays: HOLIDAYS })
  assert.equal(dayOf(later?.confirmAt ?? saturday), '2026-11-10', 'over a Sunday and a holiday')
})

test('an eNACH debit is decided on the evening of a working day, always later than it was presented', () => {
  fc.assert(
    fc.property(moment, now => {
      const at = debitDecidedAt('enach', now, HOLIDAYS)
      assert.ok(at > now && isWorkingDay(dayOf(at), HOLIDAYS))
      assert.match(at.toISOString(), /T12:30:00.000Z$/)
    }),
  )
})

test('a debit outside its mandate is never captured, whatever its amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000_00 }), moment, fc.boolean(), (amount, at, isActive) => {
      const mandateState = isActive ? ('active' as const) : ('cancelled' as const)
      const verdict = judgeDebit({ ...debit, amountPaise: paiseOf(amount), mandateState }, at)
      const isAllowed = isActive && amount <= mandate.capPaise && dayOf(at) <= mandate.endOn
      if (!isAllowed) assert.equal(verdict?.kind, 'failed')
    }),
  )
})

test('what has ended is decided no more; what was debited can be taken back once', () => {
  const at = new Date('2026-05-05')
  for (const act of [{ kind: 'debited' }, { kind: 'bounced' }] as const)
    assert.equal(obeyDebit({ ...debit, state: 'failed' }, act, at), null)
  assert.equal(judgeDebit({ ...debit, state: 'failed' }, at), null)
  const captured = { ...debit, state: 'captured' as const }
  assert.equal(obeyDebit(captured, { kind: 'debited' }, at), null)
  assert.deepEqual(obeyDebit(captured, { kind: 'bounced' }, at), { kind: 'returned', code: '04' })
  assert.equal(obeyDebit({ ...captured, isReturned: true }, { kind: 'bounced' }, at), null)
})

test('a bank that says "not decided yet" has ended nothing, and decides by itself later', () => {
  const at = new Date('2026-05-05')
  const verdict = obeyDebit(debit, { kind: 'bounced', code: '98' }, at)
  assert.ok(verdict?.kind === 'wait' && verdict.until > at)
  assert.equal(judgeDebit({ ...debit, scriptedCode: '98' }, at)?.kind, 'wait')
  assert.equal(judgeDebit({ ...debit, hasWaited: true }, at)?.kind, 'captured')
})

test('only an open mandate is approved or declined, and only one that was approved is withdrawn', () => {
  const context = { now: new Date('2026-05-05'), holidays: HOLIDAYS }
  for (const state of ['authorised', 'active', 'rejected', 'cancelled'] as const)
    for (const act of ['approve', 'approve_in_vain', 'decline'] as const)
      assert.equal(mandateMove({ ...mandate, state }, act, context), null)
  for (const state of ['open', 'rejected', 'cancelled'] as const)
    assert.equal(mandateMove({ ...mandate, state }, 'revoke', context), null)
})
