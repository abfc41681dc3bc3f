import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Job } from '../../src/platform/jobs/job.ts'
import { leasedRows, processDue } from '../../src/platform/jobs/due-rows.ts'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'
import { jobOf, never, startJobs } from './support.ts'

const bursar = await startBursar({ after })
const { db, clock } = bursar.app.ctx
const sql = db.query.bind(db)
type Parcel = { instituteId: number; id: string; attempts: number }

/** A table of its own for each test, with so many rows that are due. */
async function openTable(table: string, rows: number, leaseMs: number) {
  await sql(`create table ${table} (institute_id int default 1, id text, due_at timestamptz, attempts int default 0,
    held_until timestamptz, primary key (institute_id, id))`)
  await sql(`create index on ${table} (due_at)`)
  await sql(
    `insert into ${table} (id, due_at)
     select n::text, now() - interval '1 hour' + n * interval '1 ms' from generate_series(1, $1::int) n`,
    [rows],
  )
  const columns = 'institute_id as "instituteId", id, attempts'
  const leased = leasedRows<Parcel>({ table, dueAt: 'due_at', attempts: 'attempts', columns, leaseMs })
  const finish = async ({ id }: { id: string }) =>
    void (await sql(`update ${table} set due_at = null where id = $1`, [id]))
  const count = async (where: string): Promise<number> =>
    (await sql(`select from ${table} where ${where}`)).length
  return { leased, finish, count }
}

function rowJob(
  leased: ReturnType<typeof leasedRows<Parcel>>,
  act: (row: Parcel) => Promise<void>,
  more: Partial<Job> = {},
): Job {
  const job = jobOf('parcels', processDue({ db, clock }, leased, act), { concurrency: 4, ...more })
  return { ...job, nextDueAt: () => leased.nextDue(db) }
}

test('stop() with a backlog of 10,000 rows returns within one row, and leaves no other row claimed', async t => {
  const { leased, finish, count } = await openTable('backlog', 10_000, 60_000)
  const [ended, release] = gate()
  let atHand = 0
  const runner = startJobs(t, [
    rowJob(leased, async row => {
      atHand++
      await ended
      await finish(row)
    }),
  ])
  await waitFor(async () => atHand === 4, 'four rows at hand')
  const stopping = runner.stop()
  release()
  await stopping
  assert.equal(atHand, 4)
  assert.deepEqual([await count('due_at is null'), await count('held_until is not null')], [4, 0])
})

test('rows are worked on several at a time, never more than the job allows, each once', async t => {
  const { leased, finish, count } = await openTable('several', 60, 60_000)
  let [now, most, worked] = [0, 0, 0]
  startJobs(t, [
    rowJob(leased, async row => {
      most = Math.max(most, ++now)
      await finish(row)
      worked++
      now--
    }),
  ])
  await waitFor(async () => worked >= 60 && (await count('due_at is null')) === 60, 'all rows')
  assert.deepEqual([most, worked, await count('attempts = 1')], [4, 60, 60])
})

test('a row that fails is put off by itself, and the others are done', async t => {
  const { leased, finish, count } = await openTable('failing', 20, 60_000)
  const runner = startJobs(t, [
    rowJob(leased, async row => {
      if (row.id === '7') throw new Error('this one')
      await finish(row)
    }),
  ])
  await waitFor(async () => (await count('due_at is null')) === 19, 'the others')
  await waitFor(
    async () => (await count(`due_at > now() + interval '50 seconds' and held_until is null`)) === 1,
    'it',
  )
  assert.equal(runner.statuses[0]?.failures, 1)
})

test('a lease is renewed while its row is worked on, so nobody else gets it however long it takes', async t => {
  const { leased, finish } = await openTable('renewed', 1, 200)
  const [ended, release] = gate()
  t.after(release)
  let started = 0
  const act = async (row: Parcel): Promise<void> => {
    started++
    await ended
    await finish(row)
  }
  startJobs(t, [rowJob(leased, act)])
  startJobs(t, [rowJob(leased, act)], { heldPauseMs: 5 })
  await waitFor(async () => started === 1, 'the row to be taken')
  const [first] = await sql<{ at: Date }>('select held_until as at from renewed')
  const past = new Date((first?.at.getTime() ?? 0) + 400)
  await waitFor(async () => new Date() > past, 'two leases to pass')
  assert.equal(started, 1)
  assert.deepEqual(await leased.claim(db, clock.now(), 1), [])
})

test("a killed holder's row becomes due again when its lease expires; the loser can neither renew nor release it", async t => {
  const { leased, finish } = await openTable('killed', 1, 150)
  const [lost] = await leased.claim(db, clock.now(), 1)
  assert.ok(lost)
  assert.deepEqual(await leased.claim(db, clock.now(), 1), [])
  const [ended, release] = gate()
  t.after(release)
  let attempts = 0
  startJobs(t, [
    rowJob(leased, async row => {
      attempts = row.attempts
      await ended
      await finish(row)
    }),
  ])
  await waitFor(async () => attempts === 2, 'another to take it')
  assert.equal(await leased.renew(db, lost), false)
  await leased.release(db, lost, { claimedAt: clock.now(), retryAt: new Date(0) })
  const [row] = await sql<{ isHeld: boolean; isDue: boolean }>(
    `select held_until is not null as "isHeld", due_at > now() - interval '2 hours' as "isDue" from killed`,
  )
  assert.deepEqual(row, { isHeld: true, isDue: true })
})

test('a row that hangs beyond its time limit is not renewed any more, and others take it', async t => {
  const { leased, finish, count } = await openTable('hanging', 1, 100)
  startJobs(t, [rowJob(leased, never, { timeLimitMs: 50 })])
  await waitFor(async () => (await count('attempts = 1')) === 1, 'it to be taken')
  startJobs(t, [rowJob(leased, finish)], { heldPauseMs: 10 })
  await waitFor(async () => (await count('due_at is null')) === 1, 'the other process')
})

test('rows that hang in every slot hold up the others no longer than their time limit', async t => {
  const { leased, finish, count } = await openTable('stuck', 10, 60_000)
  const started: string[] = []
  const runner = startJobs(t, [
    rowJob(
      leased,
      async row => {
        started.push(row.id)
        await (Number(row.id) <= 4 ? never() : finish(row))
      },
      { timeLimitMs: 500 },
    ),
  ])
  await waitFor(async () => (await count('due_at is null')) === 6, 'the others')
  assert.deepEqual([runner.statuses[0]?.failures, runner.statuses[0]?.abandoned], [4, 4])
  // Their leases have not expired: neither this process nor another starts them a second time.
  assert.deepEqual(await leased.claim(db, clock.now(), 10), [])
  assert.equal(started.length, 10)
})

test('a row that hung is put behind the others, and its late end leaves the next claim alone', async t => {
  const { leased, count } = await openTable('late', 1, 200)
  const [ended, release] = gate()
  t.after(release)
  const runner = startJobs(t, [rowJob(leased, () => ended, { timeLimitMs: 20 })])
  await waitFor(async () => (await count(`due_at > now() - interval '10 minutes'`)) === 1, 'it to be put off')
  await runner.stop()
  await waitFor(async () => (await count('held_until < clock_timestamp()')) === 1, 'its lease to expire')
  await sql(`update late set due_at = now() - interval '1 hour'`)
  const [again] = await leased.claim(db, clock.now(), 1)
  release()
  await waitFor(async () => runner.statuses[0]?.abandoned === 0, 'its late end')
  assert.equal(await count('due_at < now()'), 1)
  assert.ok(again !== undefined && (await leased.renew(db, again)))
})

function gate(): [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [promise, resolve]
}
