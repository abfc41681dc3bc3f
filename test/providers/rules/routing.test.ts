import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  hasPurpose,
  offeredMethods,
  routeTo,
  keyProblem,
  readValues,
  type Purpose,
  type RoutableAccount,
} from '../../../src/providers/accounts/accounts.rules.ts'
import { PROVIDERS } from '../../../src/providers/catalogue.ts'
import { paiseOf, type Paise } from '../../../src/platform/money.ts'
import { UPI_MOST } from '../../../src/providers/port.ts'

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
        const offered = offeredMethods({ methods: own, port: { accepts } }, amount)
        const isWithin = amount >= min && (max === null || amount <= max)
        assert.deepEqual(
          new Set(offered),
          new Set(isWithin ? METHODS.filter(one => own.includes(one) && theirs.includes(one)) : []),
        )
      },
    ),
  )
})

test('a way that takes less than the others is not offered above that', () => {
  const accepts = { methods: METHODS, minPaise: paiseOf(100), maxPaise: null, maxPaiseOf: { upi: UPI_MOST } }
  const offered = (amount: Paise) => offeredMethods({ methods: METHODS, port: { accepts } }, amount)
  assert.deepEqual(offered(UPI_MOST), METHODS)
  assert.deepEqual(offered(paiseOf(UPI_MOST + 1)), ['card', 'netbanking'])
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
