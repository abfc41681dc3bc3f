import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProcessPool, type ProcessLimits } from '../../../src/platform/process-pool/process-pool.ts'
import { worstStall } from '../../harness/processes/stalls.ts'
import { waitFor } from '../../harness/wait.ts'

function poolOf(limits: Partial<ProcessLimits> = {}): ProcessPool<string, number> {
  const module = new URL('misbehaving-process.ts', import.meta.url)
  return new ProcessPool(module, {
    maxMs: 30_000,
    maxHeapMb: 64,
    processes: 1,
    maxWaiting: 5,
    idleMs: 10_000,
    ...limits,
  })
}

const TURN = { share: 1, isUrgent: false }
const one = (pool: ProcessPool<string, number>, question: string): Promise<number> =>
  pool.use(ask => ask(question), TURN)

test('a process answers one question after the other and is used again', async () => {
  const pool = poolOf()
  assert.equal(await one(pool, 'count'), 1)
  assert.deepEqual(await pool.use(async ask => [await ask('count'), await ask('count')], TURN), [2, 3])
  await assert.rejects(one(pool, 'throw'), /it was asked to/)
  assert.equal(await one(pool, 'count'), 5)
})

test('a process that takes too long is ended and replaced, and nothing else waits for it', async () => {
  const pool = poolOf({ maxMs: 1_500 })
  const stall = await worstStall(() =>
    assert.rejects(one(pool, 'loop'), { name: 'ProcessFailure', reason: 'time' }),
  )
  assert.ok(stall < 50, `${stall} ms`)
  assert.equal(await one(pool, 'count'), 1)
})

test('a process that takes too much memory is ended and replaced', async () => {
  const pool = poolOf()
  await assert.rejects(one(pool, 'hoard'), { name: 'ProcessFailure', reason: 'memory' })
  assert.equal(await one(pool, 'count'), 1)
})

test('a process that ends by itself is replaced', async () => {
  const pool = poolOf()
  await assert.rejects(one(pool, 'exit'), { name: 'ProcessFailure', reason: 'crash' })
  assert.equal(await one(pool, 'count'), 1)
})

test('a process that was killed while it waited for work is replaced', async () => {
  const pool = poolOf()
  // As the kernel does where memory runs out.
  const pid = await one(pool, 'pid')
  process.kill(pid, 'SIGKILL')
  await waitFor(async () => hasEnded(pid), 'its end')
  assert.equal(await one(pool, 'count'), 1)
})

test('a use that is given up while its process works frees the place', async () => {
  const pool = poolOf()
  const given = pool.use(async ask => {
    ask('loop').catch(() => {})
    throw new Error('given up')
  }, TURN)
  await assert.rejects(given, /given up/)
  assert.equal(await one(pool, 'count'), 1)
})

test('uses wait for a process in turn, and no more of them than are allowed', async () => {
  const pool = poolOf({ maxWaiting: 2 })
  const answers = ['count', 'count', 'count', 'count'].map(question => one(pool, question))
  const settled = await Promise.allSettled(answers)
  assert.deepEqual(
    settled.map(result => (result.status === 'fulfilled' ? result.value : result.reason.code)),
    [1, 2, 3, 'SYE00001'],
  )
})

test('shares take turns at a process, the newest first, and one that is full refuses its own alone', async () => {
  const pool = poolOf({ maxWaiting: 3 })
  const wanted = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']
  const settled = await Promise.allSettled(
    wanted.map(([share = '']) => pool.use(ask => ask('count'), { share, isUrgent: true })),
  )
  assert.deepEqual(
    settled.map((result, index) => [
      wanted[index],
      result.status === 'fulfilled' ? result.value : result.reason.code,
    ]),
    [
      ['a1', 1],
      ['a2', 'SYE00001'],
      ['a3', 5],
      ['a4', 4],
      ['a5', 2],
      ['b1', 3],
    ],
  )
})

test('threads see none of the environment, in which secrets lie', async () => {
  assert.equal(await one(poolOf({ idleMs: 0 }), 'secret'), 0)
})

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}
