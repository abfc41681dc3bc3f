import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { askAs, ConnectionTurns } from '../../../src/platform/db/connection-turns.ts'

type Turn = { name: string; giveBack: () => void }

/** Asks for as many connections as named, in this order; answers the turns in the order in which they are granted. */
function ask(turns: ConnectionTurns, names: readonly string[]): Turn[] {
  const granted: Turn[] = []
  for (const name of names) {
    const taken = askAs({ name }, () => turns.take())
    if (taken instanceof Promise) void taken.then(giveBack => granted.push({ name, giveBack }))
    else granted.push({ name, giveBack: taken })
  }
  return granted
}

/** Gives the oldest back until nobody waits; the names in the order of their turns. */
async function drain(granted: Turn[]): Promise<string[]> {
  for (let at = 0; at < granted.length; at++) {
    granted[at]?.giveBack()
    await Promise.resolve()
  }
  return granted.map(turn => turn.name)
}

test('whoever sends very many requests waits for his own, and another is next', async () => {
  const turns = new ConnectionTurns(4)
  const granted = ask(turns, [...Array.from({ length: 50 }, () => 'flood'), 'other'])
  assert.deepEqual(
    granted.map(turn => turn.name),
    ['flood', 'flood', 'flood', 'other'],
  )
  assert.equal(turns.waiting, 47)
  const order = await drain(granted)
  assert.equal(order.length, 51)
  assert.equal(turns.waiting, 0)
})

test('one asker never holds all connections, so that others need not wait for what holds up his', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: 20, max: 60 }),
      async (size, count) => {
        const turns = new ConnectionTurns(size)
        const flood = ask(
          turns,
          Array.from({ length: count }, () => 'flood'),
        )
        assert.ok(flood.length < size)
        const other = ask(turns, ['other'])
        assert.equal(other.length, 1)
        other[0]?.giveBack()
        assert.equal((await drain(flood)).length, count)
      },
    ),
  )
})

test('every asker that waits has a turn before any has two, and everybody has as many as asked for', async () => {
  const name = fc.constantFrom('one', 'two', 'three', 'four')
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(name, { maxLength: 60 }),
      async (size, names) => {
        const turns = new ConnectionTurns(size)
        const granted = ask(turns, names)
        const atOnce = granted.length
        const order = await drain(granted)
        assert.deepEqual(order.toSorted(), names.toSorted())
        assert.equal(turns.waiting, 0)
        const left = Map.groupBy(order.slice(atOnce), one => one)
        if (size > 1) return
        // With one connection the turns are strict: of those that still wait, none is passed over twice.
        for (const [one, own] of left) {
          const places = order.slice(atOnce).flatMap((each, place) => (each === one ? [place] : []))
          for (let at = 1; at < own.length; at++)
            assert.ok((places[at] ?? 0) - (places[at - 1] ?? 0) <= left.size)
        }
      },
    ),
  )
})

test('who waits for longer than three seconds is refused with a time to retry, and nobody else', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turns = new ConnectionTurns(1)
  const [first] = ask(turns, ['flood'])
  const late = askAs({ name: 'flood' }, () => turns.take())
  t.mock.timers.tick(2_000)
  const other = askAs({ name: 'other' }, () => turns.take())
  t.mock.timers.tick(1_000)
  await assert.rejects(async () => late, { code: 'SYE00001', retryAfterS: 1 })
  assert.equal(turns.waiting, 1)
  first?.giveBack()
  assert.equal(typeof (await other), 'function')
})
