import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { comingOf, type ComingPart } from '../../../src/console/flex/coming.rules.ts'
import { nextStepText, returnTexts } from '../../../src/console/flex/flex.texts.ts'
import {
  cursorAfter,
  daysOf,
  DEBIT_STATUSES,
  isPresentation,
  monthOf,
  rangeOf,
  readCursor,
  statusOf,
} from '../../../src/console/flex/flex.rules.ts'
import type { DebitContext } from '../../../src/flex/rules/debit.rules.ts'
import type { Instalment, Plan, InstalmentState } from '../../../src/flex/rules/plan.rules.ts'
import { STANDARD_RULES } from '../../../src/flex/rules/rails.rules.ts'
import { codesOf } from '../../../src/flex/rules/returns.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'

const STATES: InstalmentState[] = [
  'scheduled',
  'confirmed',
  'presented',
  'debited',
  'settled',
  'bounced',
  'skipped',
  'reversed',
  'due',
  'covered',
  'waived',
  'cancelled',
]
const PLAN_STATES: Plan['state'][] = ['draft', 'setup', 'active', 'locked', 'cancelled', 'closed']

const day = fc
  .integer({ min: 0, max: 2_000 })
  .map(days => Temporal.PlainDate.from('2026-01-01').add({ days }).toString())
const moment = fc.date({
  min: new Date('2026-01-01'),
  max: new Date('2031-01-01'),
  noInvalidDate: true,
})

const instalment: fc.Arbitrary<Instalment> = fc.record({
  instituteId: fc.constant(1),
  planId: fc.constant('plan_1'),
  id: fc.constant('inst_1'),
  number: fc.integer({ min: 1, max: 60 }),
  state: fc.constantFrom(...STATES),
  isDownpayment: fc.constant(false),
  dueOn: day,
  presentOn: day,
  referenceId: fc.constant(null),
  identifier: fc.constant(null),
  lines: fc.constant([{ componentType: 'TUITION_FEE', amountPaise: paiseOf(100) }]),
  planned: fc.constant([{ componentType: 'TUITION_FEE', amountPaise: paiseOf(100) }]),
  attempt: fc.nat(4),
  bankReturns: fc.nat(5),
  firstBankReturnAt: fc.constant(null),
  notifiedAt: fc.option(moment),
  announcedRef: fc.constant(null),
  announcedFor: fc.option(moment),
  presentedOn: fc.constant(null),
  returnCode: fc.option(fc.constantFrom(...codesOf('enach'), 'unheard-of')),
  fetchTries: fc.nat(4),
  orderId: fc.option(fc.constant('order_1')),
  nextStepAt: fc.option(moment),
  isCharge: fc.boolean(),
  chargeReason: fc.constant(null),
  stoppedAt: fc.constant(null),
  refundedPaise: fc.constant(paiseOf(0)),
  settlementId: fc.constant(null),
  settlementUtr: fc.constant(null),
})

const context: fc.Arbitrary<DebitContext> = fc.record({
  plan: fc.record({
    state: fc.constantFrom(...PLAN_STATES),
    isHeld: fc.boolean(),
    lockReason: fc.option(fc.constantFrom('mandate_ended', 'student_transferred', 'something')),
  }),
  instalment,
  mandate: fc.option(
    fc.record({
      state: fc.constantFrom('pending', 'active', 'cancelled', 'expired', 'rejected'),
      rail: fc.constantFrom('enach', 'upi_autopay'),
      capPaise: fc.constant(paiseOf(10_000_00)),
      startOn: day,
      endOn: day,
      authorisedAt: fc.option(moment),
      isAnnounced: fc.boolean(),
    }),
  ),
  takenDays: fc.constant(new Set<string>()),
  rules: fc.constant(STANDARD_RULES),
  holidays: fc.constant(new Set<string>()),
  now: moment,
})

test('whatever state a debit is in, its next step is a sentence', () => {
  fc.assert(
    fc.property(
      context,
      fc.constantFrom(...DEBIT_STATUSES),
      fc.option(moment),
      (setting, status, presentedAt) => {
        const words = nextStepText({ status, context: setting, presentedAt })
        assert.match(words, /^[A-Z].*\.$/s)
        assert.doesNotMatch(words, /undefined|null|NaN|Invalid|\d{4}-\d{2}-\d{2}/)
      },
    ),
  )
})

test('every state of an instalment has one status, and one that waits for its plan is stopped', () => {
  for (const state of STATES)
    for (const planState of PLAN_STATES)
      for (const isHeld of [true, false]) {
        const status = statusOf({ state, orderId: 'order_1' }, { state: planState, isHeld })
        assert.ok(status === 'cancelled' || DEBIT_STATUSES.includes(status))
        const isWaiting = state === 'scheduled' || state === 'confirmed'
        assert.equal(status === 'stopped', isWaiting && (planState !== 'active' || isHeld))
      }
})

test('every return code, known or not, is explained in words', () => {
  for (const code of [...codesOf('enach'), ...codesOf('upi_autopay'), 'unheard-of']) {
    const words = returnTexts(code)
    for (const text of [words.category, words.message, words.next]) assert.match(text, /^[A-Z]/)
  }
})

test('a cursor leads back to where it was written, and nothing else is one', () => {
  fc.assert(
    fc.property(day, moment, fc.nat(9_999), (presentOn, presentedAt, presentation) => {
      const id = 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'
      const place = { instalmentId: id, presentation, presentedAt: null, day: presentOn }
      const first = { part: 'instalments', presentOn, instalmentId: id } as const
      assert.deepEqual(readCursor(cursorAfter(place)), first)
      const second = { part: 'presentations', presentedAt, instalmentId: id, presentation } as const
      assert.deepEqual(readCursor(cursorAfter({ ...place, presentedAt })), second)
    }),
  )
  fc.assert(
    fc.property(fc.string(), text => {
      fc.pre(!/^[ip]\./.test(text))
      assert.throws(() => readCursor(text), /is not a cursor/)
    }),
  )
  assert.throws(() => readCursor('i.2026-02-31.inst_1'), /is not a cursor/)
})

test('a range is what was asked for, whole, in order and not without end', () => {
  const usual = { from: '2026-11-01', to: '2026-11-30' }
  assert.deepEqual(rangeOf({}, usual), usual)
  assert.deepEqual(rangeOf({ from: '2026-12-05' }, usual), { from: '2026-12-05', to: '2026-12-05' })
  assert.deepEqual(rangeOf({ to: '2026-10-05' }, usual), { from: '2026-10-05', to: '2026-10-05' })
  assert.throws(() => rangeOf({ from: '2026-11-10', to: '2026-11-09' }, usual), /before/)
  assert.throws(() => rangeOf({ from: '2026-01-01', to: '2027-06-01' }, usual), /366/)
  assert.throws(() => rangeOf({ from: '0001-01-01' }, usual), /2000/)
  fc.assert(
    fc.property(day, any => {
      const days = daysOf(monthOf(any))
      assert.ok(days.includes(any) && days.length >= 28 && days.length <= 31)
      assert.ok(days.every(one => one.startsWith(any.slice(0, 7))))
    }),
  )
})

/** Past its day and free to go, it is not in the way: the engine moves it at its next step. */
function isMoving({ day: planned, kind }: ComingPart): boolean {
  return planned === null && (kind === 'clear' || kind === 'announced')
}

test('in the coming run every instalment is either presented, asked about or named as in the way', () => {
  const part: fc.Arbitrary<ComingPart> = fc.record({
    day: fc.option(fc.constantFrom('2026-11-02', '2026-11-03', '2026-11-08')),
    rail: fc.constantFrom('enach', 'upi_autopay'),
    kind: fc.constantFrom('clear', 'announced', 'held', 'skipped', 'mandate_ended', 'setup', 'dropped'),
    count: fc.integer({ min: 1, max: 50 }),
    amountPaise: fc.integer({ min: 1, max: 1_000_000 }).map(paiseOf),
    aboveLimit: fc.constant(0),
    abovePaise: fc.constant(paiseOf(0)),
  })
  const calendar = {
    days: ['2026-11-02', '2026-11-03', '2026-11-08'],
    isWorkingDay: (one: string) => one !== '2026-11-08',
    momentsOf: () => ({ askedFrom: new Date(0), toldBy: new Date(0), presentedAt: new Date(0) }),
  }
  fc.assert(
    fc.property(fc.array(part), parts => {
      const { days, waiting } = comingOf(parts, calendar)
      const shown = [
        ...waiting,
        ...days.flatMap(one => [...one.inTheWay, ...one.runs.flatMap(run => [run.announced, run.toAsk])]),
      ].reduce((sum, { amountPaise }) => sum + amountPaise, 0)
      const expected = parts.filter(one => !isMoving(one)).reduce((sum, one) => sum + one.amountPaise, 0)
      assert.equal(shown, expected)
      assert.ok(days.every(one => one.isWorkingDay || one.runs.length === 0))
    }),
  )
})

test('what can be presented and what cannot are told apart', () => {
  assert.deepEqual(DEBIT_STATUSES.filter(isPresentation), ['presented', 'debited', 'bounced', 'reversed'])
})
