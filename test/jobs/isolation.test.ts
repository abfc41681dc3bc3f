import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slots } from '../../src/platform/jobs/job.ts'
import { waitFor } from '../harness/wait.ts'
import { batchJob, never, startJobs } from './support.ts'

test('what hangs counts as a failure at its time limit and frees its slot, so the job recovers without a restart', async t => {
  let [started, release] = [0, () => {}]
  const job = batchJob(
    'hangs',
    async () => (started++ === 0 ? new Promise<number>(resolve => (release = () => resolve(0))) : 0),
    { timeLimitMs: 20 },
  )
  const runner = startJobs(t, [job], { firstBackOffMs: 1, longestBackOffMs: 1 })
  const status = () => runner.statuses[0]
  await waitFor(async () => status()?.failures === 1, 'the time limit')
  assert.match(status()?.lastFailure?.message ?? '', /longer than 20 ms/)
  await waitFor(async () => started > 1 && status()?.failuresInARow === 0, 'a run beside what hangs')
  assert.equal(status()?.abandoned, 1)
  release()
  await waitFor(async () => status()?.abandoned === 0, 'the end of what hung')
  assert.equal(status()?.failures, 1)
})

test('a job that does nothing but hang leaves a limited number of tasks behind', async () => {
  const slots = new Slots({ size: 1_000, timeLimitMs: 1 })
  for (let n = 0; n < 1_000; n++) void slots.run(never)
  await slots.idle()
  assert.deepEqual([slots.abandoned, slots.free], [1_000, 1_000])
  for (let n = 0; n < 10; n++) void slots.run(never)
  await slots.idle()
  assert.deepEqual([slots.abandoned, slots.free], [1_000, 990])
})

test('a stop does not wait longer for what hangs than its time limit', async t => {
  let started = 0
  const runner = startJobs(t, [batchJob('hangs', () => (started++, never()), { timeLimitMs: 300 })])
  await waitFor(async () => started === 1, 'the job to start')
  await runner.stop()
  assert.equal(runner.statuses[0]?.abandoned, 1)
})

test('a job that fails backs off for longer each time, and is back at once when it succeeds', async t => {
  const attempts: number[] = []
  let isWell = false
  const job = batchJob('fails', async () => {
    attempts.push(performance.now())
    if (!isWell) throw new Error('not yet')
    return 0
  })
  const runner = startJobs(t, [job], { firstBackOffMs: 20, longestBackOffMs: 160, longestPauseMs: 10 })
  await waitFor(async () => attempts.length >= 6, 'six attempts')
  const gaps = attempts.slice(1, 6).map((at, index) => at - (attempts[index] ?? 0))
  for (const [index, least] of [10, 20, 40, 80, 80].entries())
    assert.ok((gaps[index] ?? 0) >= least - 2, `gap ${index} was ${gaps[index]} ms`)
  assert.ok((runner.statuses[0]?.failuresInARow ?? 0) >= 6)
  isWell = true
  await waitFor(async () => runner.statuses[0]?.failuresInARow === 0, 'a success')
  assert.notEqual(runner.statuses[0]?.lastFailure, null)
})

test('a purge runs in batches until it is done, and again after an hour; work runs meanwhile', async t => {
  let [left, purges, works] = [3, 0, 0]
  const purge = batchJob('purge', async () => (purges++, left-- > 0 ? 1 : 0), { kind: 'purge' })
  const work = batchJob('work', async () => (works++, 0))
  const runner = startJobs(t, [purge, work], { firstPurgeWithinMs: 0, longestPauseMs: 1 })
  await waitFor(async () => runner.statuses[0]?.rows === 3 && works > 20, 'purge and work')
  assert.equal(purges, 4)
  assert.deepEqual(await runner.runAllDue(), { work: 0 })
})

test('a purge is repeated when its hour is over', async t => {
  let purges = 0
  const purge = batchJob('purge', async () => (purges++, 0), { kind: 'purge' })
  startJobs(t, [purge], { firstPurgeWithinMs: 0, purgeEveryMs: 5 })
  await waitFor(async () => purges > 2, 'some hours')
})
