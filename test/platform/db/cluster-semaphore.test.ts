import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { NoSlot, ClusterSemaphore } from '../../../src/platform/db/cluster-semaphore.ts'
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

type Seat = { leave: () => void }

/** Takes so many places and keeps them. */
async function occupy(places: ClusterSemaphore, most: number, count = most): Promise<Seat[]> {
  const entered = Array.from({ length: count }, () => places.enter('erp', most, false))
  return (await Promise.all(entered)).map(leave => ({ leave }))
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

test('three processes together are never in more places than there are, and everybody gets one', async t => {
  const { processes } = await openProcesses(t, 3)
  let [inside, mostInside, served] = [0, 0, 0]
  const work = async (places: ClusterSemaphore): Promise<void> => {
    const leave = await places.enter('erp', 4, false)
    mostInside = Math.max(mostInside, ++inside)
    await new Promise(resolve => setImmediate(resolve))
    inside--
    served++
    leave()
  }
  await Promise.all(processes.flatMap(places => Array.from({ length: 200 }, () => work(places))))
  assert.deepEqual([served, mostInside], [600, 4])
})

test('a process with a long queue in all places lets in one that has none', async t => {
  const { processes } = await openProcesses(t, 2)
  const [busy, other] = processes as [ClusterSemaphore, ClusterSemaphore]
  const end = new AbortController()
  t.after(() => end.abort())
  const workOn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const leave = await busy.enter('erp', 2, false)
      await new Promise(resolve => setImmediate(resolve))
      leave()
    }
  }
  const working = Array.from({ length: 20 }, workOn)
  const [seat] = await occupy(other, 2, 1)
  end.abort()
  seat?.leave()
  await Promise.all(working)
  assert.equal(busy.waitingFor('erp'), 0)
})

test('places of a process that dies are free at once', async t => {
  const { url, processes } = await openProcesses(t, 2)
  const [dying, other] = processes as [ClusterSemaphore, ClusterSemaphore]
  await occupy(dying, 2)
  const entering = occupy(other, 2)
  await waitFor(async () => (await ask(url, LISTENING)).length === 2, 'the other to have asked')
  assert.equal(other.waitingFor('erp'), 2)
  await dying.close()
  assert.equal((await entering).length, 2)
})

test('a request for slots that a silent process keeps is refused in the end', async t => {
  const { url, processes } = await openProcesses(t, 1)
  const [silent] = processes as [ClusterSemaphore]
  await occupy(silent, 2)
  const impatient = new ClusterSemaphore(() => openHeld(url), 200)
  t.after(() => impatient.close())
  await assert.rejects(impatient.enter('erp', 2, true), NoSlot)
  assert.equal((await occupy(impatient, 3, 1)).length, 1, 'a place more is found')
})

test('requests that a person waits for go before background work, otherwise first come, first served', async t => {
  const { processes } = await openProcesses(t, 1)
  const [places] = processes as [ClusterSemaphore]
  const [seat] = await occupy(places, 1)
  const order: string[] = []
  const enter = async (who: string, isPerson: boolean): Promise<void> => {
    const leave = await places.enter('erp', 1, isPerson)
    order.push(who)
    leave()
  }
  const entering = [
    enter('work 1', false),
    enter('work 2', false),
    enter('person 1', true),
    enter('person 2', true),
  ]
  seat?.leave()
  await Promise.all(entering)
  assert.deepEqual(order, ['person 1', 'person 2', 'work 1', 'work 2'])
})

test('a lowered number holds from the next place that is left on', async t => {
  const { processes } = await openProcesses(t, 1)
  const [places] = processes as [ClusterSemaphore]
  const seats = await occupy(places, 4)
  const entered: number[] = []
  const entering = Array.from({ length: 3 }, async (_, n) => {
    const leave = await places.enter('erp', 2, false)
    entered.push(n)
    return leave
  })
  for (const { leave } of seats) leave()
  const [first, second] = await Promise.all(entering.slice(0, 2))
  assert.deepEqual(entered, [0, 1], 'the third waits for one of two')
  first?.()
  ;(await entering[2])?.()
  second?.()
})

test('places whose connection was lost count until they are left, and it goes on over another one', async t => {
  const { url, processes } = await openProcesses(t, 1)
  const [places] = processes as [ClusterSemaphore]
  const seats = await occupy(places, 2)
  await ask(url, END_CONNECTIONS)
  await waitFor(async () => (await ask(url, HELD)).length === 0, 'the places to be lost')
  const entering = occupy(places, 2)
  assert.equal(places.waitingFor('erp'), 2)
  for (const { leave } of seats) leave()
  const again = await entering
  const third = occupy(places, 2, 1)
  assert.equal((await ask(url, HELD)).length, 2)
  assert.equal(places.waitingFor('erp'), 1)
  for (const { leave } of again) leave()
  assert.equal((await third).length, 1)
})
