import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '../../../src/platform/process-pool/process-pool.ts'

function orderOf(queue: FairQueue<string>): string[] {
  const order: string[] = []
  for (let next = queue.next(); next !== undefined; next = queue.next()) order.push(next)
  return order
}

test('shares take turns, and of each the newest goes first', () => {
  const queue = new FairQueue<string>(10)
  for (const entry of ['a1', 'a2', 'a3', 'a4']) queue.push({ share: 'a', isUrgent: true }, entry)
  for (const entry of ['b1', 'b2']) queue.push({ share: 'b', isUrgent: true }, entry)
  queue.push({ share: 'c', isUrgent: true }, 'c1')
  assert.deepEqual(orderOf(queue), ['a4', 'b2', 'c1', 'a3', 'b1', 'a2', 'a1'])
})

test('what nobody looks at waits behind what is urgent, in its order, and still gets every fifth turn', () => {
  const queue = new FairQueue<string>(10)
  for (const entry of ['m1', 'm2', 'm3']) queue.push({ share: 'a', isUrgent: false }, entry)
  for (const entry of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6']) queue.push({ share: 'b', isUrgent: true }, entry)
  assert.deepEqual(orderOf(queue), ['u6', 'u5', 'u4', 'u3', 'm1', 'u2', 'u1', 'm2', 'm3'])
})

test('a share that is full gives up its own oldest urgent entry, or takes no further one that is not urgent', () => {
  const queue = new FairQueue<string>(2)
  const push = (share: string, isUrgent: boolean, entry: string) => queue.push({ share, isUrgent }, entry)
  assert.deepEqual(
    [push('a', true, 'a1'), push('a', true, 'a2'), push('a', true, 'a3'), push('b', true, 'b1')],
    [null, null, 'a1', null],
  )
  assert.deepEqual(
    [push('a', false, 'm1'), push('a', false, 'm2'), push('a', false, 'm3'), push('b', false, 'n1')],
    [null, null, 'm3', null],
  )
  assert.deepEqual(orderOf(queue), ['a3', 'b1', 'a2', 'm1', 'n1', 'm2'])
})
