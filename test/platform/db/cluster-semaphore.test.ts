import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { NoPermit, ClusterSemaphore } from '../../../src/platform/db/cluster-semaphore.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import { waitFor } from '../../harness/wait.ts'

const openHeld = (connectionString: string): pg.Client => new pg.Client({ connectionString, pipeline: true })

/** Processes over one database: each has a connection of its own, and that is all they have in common. */
async function openProcesses(
  t: TestContext,
  count: number,
): Promise<{ url: string; processes: ClusterSemaphore[] }> {
  const url = await cloneDatabase(t)
  const processes = Array.from({ length: count }, () => new ClusterSemaphore(() => openHeld(url)))
  t.after(() => Promise.all(processes.map(one => one.close())))
  return { url, processes }
}

type HeldPermit = { release: () => void }

/** Acquires so many permits and keeps them. */
async function occupy(semaphore: ClusterSemaphore, most: number, count = most): Promise<HeldPermit[]> {
  const acquired = Array.from({ length: count }, () => semaphore.acquire('erp', most, false))
  return (await Promise.all(acquired)).map(release => ({ release }))
}

async function ask(url: string, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<pg.QueryResultRow>(text)
  await client.end()
  return rows
}

const END_CONNECTIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`
const LISTENING = `select from pg_stat_activity where datname = current_database() and query ~ 'pg_notify|advisory'
  and pid <> pg_backend_pid()`
const HELD = `select from pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and d.datname = current_database()`

test('three processes together never hold more permits than there are, and everybody gets one', async t => {
  const { processes } = await openProcesses(t, 3)
  let [inside, mostInside, served] = [0, 0, 0]
  const work = async (semaphore: ClusterSemaphore): Promise<void> => {
    const release = await semaphore.acquire('erp', 4, false)
    mostInside = Math.max(mostInside, ++inside)
    await new Promise(resolve => setImmediate(resolve))
    inside--
    served++
    release()
  }
  await Promise.all(processes.flatMap(semaphore => Array.from({ length: 200 }, () => work(semaphore))))
  assert.deepEqual([served, mostInside], [600, 4])
})

test('a process with a long queue and all permits lets in one that has none', async t => {
  const { processes } = await openProcesses(t, 2)
  const [busy, other] = processes as [ClusterSemaphore, ClusterSemaphore]
  const end = new AbortController()
  t.after(() => end.abort())
  const workOn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const release = await busy.acquire('erp', 2, false)
      await new Promise(resolve => setImmediate(resolve))
      release()
    }
  }
  const working = Array.from({ length: 20 }, workOn)
  const [held] = await occupy(other, 2, 1)
  end.abort()
  held?.release()
  await Promise.all(working)
  assert.equal(busy.waitingFor('erp'), 0)
})

test('permits of a process that dies are free at once', async t => {
  const { url, processes } = await openProcesses(t, 2)
  const [dying, other] = processes as [ClusterSemaphore, ClusterSemaphore]
  await occupy(dying, 2)
  const acquiring = occupy(other, 2)
  await waitFor(async () => (await ask(url, LISTENING)).length === 2, 'the other to have asked')
  assert.equal(other.waitingFor('erp'), 2)
  await dying.close()
  assert.equal((await acquiring).length, 2)
})

test('a request for permits that a silent process keeps is refused in the end', async t => {
  const { url, processes } = await openProcesses(t, 1)
  const [silent] = processes as [ClusterSemaphore]
  await occupy(silent, 2)
  const impatient = new ClusterSemaphore(() => openHeld(url), 200)
  t.after(() => impatient.close())
  await assert.rejects(impatient.acquire('erp', 2, true), NoPermit)
  assert.equal((await occupy(impatient, 3, 1)).length, 1, 'a permit more is found')
})

test('requests that a person waits for go before background work, otherwise first come, first served', async t => {
  const { processes } = await openProcesses(t, 1)
  const [semaphore] = processes as [ClusterSemaphore]
  const [held] = await occupy(semaphore, 1)
  const order: string[] = []
  const acquire = async (who: string, isPerson: boolean): Promise<void> => {
    const release = await semaphore.acquire('erp', 1, isPerson)
    order.push(who)
    release()
  }
  const acquiring = [
    acquire('work 1', false),
    acquire('work 2', false),
    acquire('person 1', true),
    acquire('person 2', true),
  ]
  held?.release()
  await Promise.all(acquiring)
  assert.deepEqual(order, ['person 1', 'person 2', 'work 1', 'work 2'])
})

test('a lowered number holds from the next permit that is released on', async t => {
  const { processes } = await openProcesses(t, 1)
  const [semaphore] = processes as [ClusterSemaphore]
  const held = await occupy(semaphore, 4)
  const acquired: number[] = []
  const acquiring = Array.from({ length: 3 }, async (_, n) => {
    const release = await semaphore.acquire('erp', 2, false)
    acquired.push(n)
    return release
  })
  for (const { release } of held) release()
  const [first, second] = await Promise.all(acquiring.slice(0, 2))
  assert.deepEqual(acquired, [0, 1], 'the third waits for one of two')
  first?.()
  ;(await acquiring[2])?.()
  second?.()
})

test('permits whose connection was lost count until they are left, and it goes on over another one', async t => {
  const { url, processes } = await openProcesses(t, 1)
  const [semaphore] = processes as [ClusterSemaphore]
  const held = await occupy(semaphore, 2)
  await ask(url, END_CONNECTIONS)
  await waitFor(async () => (await ask(url, HELD)).length === 0, 'the permits to be lost')
  const acquiring = occupy(semaphore, 2)
  assert.equal(semaphore.waitingFor('erp'), 2)
  for (const { release } of held) release()
  const again = await acquiring
  const third = occupy(semaphore, 2, 1)
  assert.equal((await ask(url, HELD)).length, 2)
  assert.equal(semaphore.waitingFor('erp'), 1)
  for (const { release } of again) release()
  assert.equal((await third).length, 1)
})

test('who does not wait is told at once that all permits are held, here or elsewhere, and gets one that is free', async t => {
  const { url, processes } = await openProcesses(t, 2)
  const [one, other] = processes as [ClusterSemaphore, ClusterSemaphore]
  const asking = [...Array<ClusterSemaphore>(10).fill(one), ...Array<ClusterSemaphore>(10).fill(other)]
  const tried = await Promise.all(asking.map(semaphore => semaphore.tryAcquire('uploads', 3)))
  const held = tried.filter(release => release !== null)
  assert.deepEqual([held.length, (await ask(url, HELD)).length], [3, 3])
  assert.equal(await one.tryAcquire('uploads', 3), null)
  held[0]?.()
  await waitFor(async () => (await ask(url, HELD)).length === 2, 'the permit to be given back')
  const again = await Promise.all([one.tryAcquire('uploads', 3), other.tryAcquire('uploads', 3)])
  assert.equal(again.filter(release => release !== null).length, 1)
  assert.deepEqual([one.waitingFor('uploads'), other.waitingFor('uploads')], [0, 0])
})
