import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { Job } from '../../src/platform/jobs/job.ts'
import { waitFor } from '../harness/wait.ts'
import { batchJob, never, punctualJob, startJobs } from './support.ts'

/** Runs a job beside one that has ten rows, one due every 20 ms, and shows that none of them is done late. */
async function assertNoDelay(t: TestContext, bad: Job): Promise<void> {
  const { job, add, lateMs } = punctualJob('others')
  const start = Date.now()
  for (let n = 1; n <= 10; n++) add(new Date(start + n * 20))
  startJobs(t, [bad, job])
  await waitFor(async () => lateMs.length === 10, 'the rows of the other job')
  assert.ok(Math.max(...lateMs) < 1_000, `a row was done ${Math.max(...lateMs)} ms late`)
}

describe('a job delays no other', { concurrency: true }, () => {
  test('when it always throws', async t => {
    let throws = 0
    const bad = batchJob('throws', async () => {
      throws++
      throw new Error('always')
    })
    await assertNoDelay(t, bad)
    assert.ok(throws > 0)
  })

  test('when looking for its next row throws', async t => {
    const bad = batchJob('throws', async () => 0, { nextDueAt: () => Promise.reject(new Error('always')) })
    await assertNoDelay(t, bad)
  })

  test('when it hangs', async t => {
    let hangs = 0
    const bad = batchJob('hangs', () => (hangs++, never()), { timeLimitMs: 30 })
    await assertNoDelay(t, bad)
    assert.ok(hangs > 0)
  })

  test('when it is a purge that has much to delete', async t => {
    const purge = batchJob('purge', async () => new Promise(resolve => setImmediate(resolve, 1)), {
      kind: 'purge',
    })
    await assertNoDelay(t, purge)
  })
})
