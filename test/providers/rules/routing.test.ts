import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  hasPurpose,
  wayRefusal,
  waysFor,
  routeTo,
  keyProblem,
  readValues,
  type Purpose,
  type RoutableAccount,
} from '../../../src/providers/accounts/accounts.rules.ts'
import { PROVIDERS } from '../../../src/providers/catalogue.ts'
import { paiseOf, type Paise } from '../../../src/platform/money.ts'
import { type PaymentMode, UPI_MOST } from '../../../src/providers/port.ts'

const METHODS = ['upi', 'card', 'netbanking'] as const
const branch = fc.constantFrom('NORTH', 'SOUTH')
const account: fc.Arbitrary<RoutableAccount> = fc.record({
  collectorCode: fc.option(branch),
  methods: fc.subarray([...METHODS]),
  rails: fc.subarray(['enach', 'upi_autopay'] as const),
  keyKind: fc.constantFrom('test', 'live'),
  pausedAt: fc.option(fc.constant(new Date(0))),
})
const asked = fc.record({
  collectorCode: branch,
  purpose: fc.constantFrom<Purpose>('payments', 'mandates'),
  keyKind: fc.constantFrom<RoutableAccount['keyKind']>('test', 'live'),
})

test('new money goes to the first of branch, institute and installation that has an account for it, and never past one that is paused or has a test key', () => {
  fc.assert(
    fc.property(fc.array(account, { maxLength: 6 }), asked, (accounts, target) => {
      const route = routeTo(accounts, target)
      const at = (code: string | null) =>
        accounts.filter(
          one =>
            one.collectorCode === code &&
            hasPurpose(one, target.purpose) &&
            (target.keyKind === 'live' || one.keyKind === 'test'),
        )
      const level = [at(target.collectorCode), at(null)].find(own => own.length > 0)
      if (level === undefined) return assert.equal(route, 'installation')
      const isFit = (one: RoutableAccount): boolean => one.pausedAt === null && one.keyKind === target.keyKind
      if (!level.some(isFit)) return assert.equal(route, 'none')
      assert.ok(typeof route === 'object' && level.includes(route) && isFit(route))
    }),
    { numRuns: 2_000 },
  )
})

test('only what both account and provider take is offered, and nothing beyond the amounts that the provider takes', () => {
  const subset = fc.subarray([...METHODS])
  const paise = fc.integer({ min: 1, max: 1_000 }).map(paiseOf)
  fc.assert(
    fc.property(
      subset,
      subset,
      paise,
      fc.tuple(paise, fc.option(paise)),
      (own, theirs, amount, [min, max]) => {
        const accepts = { methods: theirs, minPaise: min, maxPaise: max }
        const { offered } = waysFor({ methods: own, ways: [], port: { accepts } }, amount)
        const isWithin = amount >= min && (max === null || amount <= max)
        assert.deepEqual(
          new Set(offered.map(({ mode }) => mode)),
          new Set(isWithin ? METHODS.filter(one => own.includes(one) && theirs.includes(one)) : []),
        )
      },
    ),
  )
})

test('a way that takes less than the others is not offered above that', () => {
  const accepts = { methods: METHODS, minPaise: paiseOf(100), maxPaise: null, maxPaiseOf: { upi: UPI_MOST } }
  const offered = (amount: Paise) =>
    waysFor({ methods: METHODS, ways: [], port: { accepts } }, amount).offered.map(({ mode }) => mode)
  assert.deepEqual(offered(UPI_MOST), METHODS)
  assert.deepEqual(offered(paiseOf(UPI_MOST + 1)), ['card', 'netbanking'])
})

const say = (method: PaymentMode, maxPaise: number | null, payerFeeBp = 0) => ({
  method,
  maxPaise: maxPaise === null ? null : paiseOf(maxPaise),
  payerFeeBp,
})

test('a school’s limit counts below the provider’s and never above it, and the cheapest way for the payer comes first', () => {
  const accepts = { methods: METHODS, minPaise: paiseOf(100), maxPaise: null, maxPaiseOf: { upi: UPI_MOST } }
  const waysOf = (ways: ReturnType<typeof say>[], amount: number) =>
    waysFor({ methods: METHODS, ways, port: { accepts } }, paiseOf(amount))
  const modes = (ways: ReturnType<typeof say>[], amount: number): string[] =>
    waysOf(ways, amount).offered.map(({ mode }) => mode)
  assert.deepEqual(modes([say('upi', 10_000_000)], 10_000_000), METHODS)
  assert.deepEqual(modes([say('upi', 10_000_000)], 10_000_001), ['card', 'netbanking'])
  assert.deepEqual(modes([say('upi', 90_000_000)], UPI_MOST + 1), ['card', 'netbanking'])
  const costly = [say('upi', null, 50), say('card', 20_000_000, 236), say('netbanking', null, 0)]
  assert.deepEqual(waysOf(costly, 1_234_567).offered, [
    { mode: 'netbanking', feePaise: 0 },
    { mode: 'upi', feePaise: 6_173 },
    { mode: 'card', feePaise: 29_136 },
  ])
  assert.equal(
    wayRefusal(waysOf(costly, 30_000_000), 'card', paiseOf(30_000_000)),
    'Card takes at most ₹2,00,000.00 in one payment here, and this is ₹3,00,000.00. Choose another way, or pay a part.',
  )
})

test('credentials that are not entered stay as they are, and what is wrong with one is told without repeating it', () => {
  const entry = PROVIDERS['razorpay']
  assert.ok(entry)
  const known = {
    key_id: 'rzp_test_1',
    key_secret: 'a-secret',
    webhook_secret: 'a-long-random-webhook-secret',
  }
  const entered = [
    { field: 'key_id', value: ' rzp_test_2 ' },
    { field: 'key_secret', value: '' },
  ]
  assert.deepEqual(readValues(entry, entered, known), {
    values: { ...known, key_id: 'rzp_test_2' },
    problems: [],
  })
  const { problems } = readValues(entry, [
    { field: 'key_secret', value: 'with a space' },
    { field: 'webhook_secret', value: 'short' },
    { field: 'other', value: 'hidden' },
  ])
  assert.deepEqual(
    problems.map(({ key }) => key),
    ['settings.key_id', 'settings.key_secret', 'settings.webhook_secret', 'settings'],
  )
  assert.doesNotMatch(JSON.stringify(problems), /with a space|short"|hidden/)
})

test('a sandbox takes no live key and live mode no test key, so a rotation never changes where money goes', () => {
  const entry = PROVIDERS['razorpay']
  assert.ok(entry)
  const problem = (keyId: string, mode: 'sandbox' | 'live') =>
    keyProblem(entry, { key_id: keyId, key_secret: 's', webhook_secret: 'w' }, mode)?.message ?? null
  assert.equal(problem('rzp_test_1', 'sandbox'), null)
  assert.equal(problem('rzp_live_1', 'live'), null)
  assert.match(problem('rzp_live_1', 'sandbox') ?? '', /is a live key/)
  assert.match(problem('rzp_test_1', 'live') ?? '', /is a test key, through which no money arrives/)
  assert.match(problem('sk_1', 'live') ?? '', /is neither/)
})
