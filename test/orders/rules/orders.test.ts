import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canMove, stateAt, statusAt, type OrderState } from '../../../src/orders/orders.rules.ts'

const states: OrderState[] = ['unpaid', 'paid', 'expired', 'cancelled']
const state = fc.constantFrom(...states)
const moment = fc.integer({ min: 0, max: 1_000 }).map(value => new Date(value))

test('only the bank takes back what is paid, for good, and money can turn every other state paid', () => {
  for (const to of states) assert.equal(canMove('paid', to), false)
  assert.ok(canMove('paid', 'reversed'))
  for (const to of [...states, 'reversed'] as const) assert.equal(canMove('reversed', to), false)
  for (const from of states) assert.equal(canMove(from, 'paid'), from !== 'paid')
})

test('an expired or cancelled one moves nowhere but to paid', () => {
  for (const from of ['expired', 'cancelled'] as const) {
    assert.deepEqual(
      states.filter(to => canMove(from, to)),
      ['paid'],
    )
  }
})

test('only an unpaid one expires, at its expiry and not before', () => {
  fc.assert(
    fc.property(state, moment, moment, (stored, expiresAt, now) => {
      const seen = stateAt({ state: stored, expiresAt }, now)
      if (stored === 'unpaid') assert.equal(seen, expiresAt <= now ? 'expired' : 'unpaid')
      else assert.equal(seen, stored)
      assert.equal(stateAt({ state: stored, expiresAt: null }, now), stored)
    }),
  )
})

test('a pay order reads paid or unpaid and nothing else; a link reads its state', () => {
  fc.assert(
    fc.property(state, moment, moment, (stored, expiresAt, now) => {
      const order = statusAt({ kind: 'order', state: stored, expiresAt }, now)
      assert.equal(order, stored === 'paid' ? 'paid' : 'unpaid')
      assert.equal(
        statusAt({ kind: 'link', state: stored, expiresAt }, now),
        stateAt({ state: stored, expiresAt }, now),
      )
    }),
  )
})
