import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { moveBack, moveSchool } from '../../../src/cells/move/move.service.ts'
import { STEPS, type Step } from '../../../src/cells/move/move.rules.ts'
import { Client, DEMO } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { startPostgresProxy } from '../../harness/postgres/postgres-proxy.ts'
import { waitFor } from '../../harness/wait.ts'
import { countRows, dyingLog, expectBooksAgree, expectNothingLeftBehind, homeOf, Killed } from './checks.ts'
import { startTwoCells, type TestCell } from './two-cells.ts'

const cells = await startTwoCells({ after })

async function dieAfter(step: Step, from: TestCell, to: TestCell): Promise<void> {
  const before = STEPS.slice(0, STEPS.indexOf(step)).map(one => `${one} done`)
  const options = { ...cells.moving('demo-school', from, to), log: dyingLog(cells.log, before) }
  await assert.rejects(moveSchool(options), Killed)
}

async function setFollowing({ sql }: TestCell, how: 'enable' | 'disable'): Promise<void> {
  const [subscription] = await sql<{ name: string }>('select subname as name from pg_subscription')
  await sql(`alter subscription ${subscription?.name} ${how}`)
}

/** As on a standby that has taken over. */
async function loseSlot(from: TestCell, to: TestCell): Promise<void> {
  await setFollowing(to, 'disable')
  await waitFor(async () => {
    await from.sql('select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active')
    return (await from.sql('select from pg_replication_slots')).length === 0
  }, 'the slot to be gone')
  await setFollowing(to, 'enable')
}

test('a move whose old cell has failed over while it copied says so, goes back, and can begin again', async () => {
  const { from, to, id } = await homeOf(cells, 'demo-school')
  await dieAfter('subscribe', from, to)
  await loseSlot(from, to)
  const options = cells.moving('demo-school', from, to)
  await assert.rejects(
    moveSchool(options),
    /its replication slot is gone, as after a failover .*End it with --back/,
  )
  assert.equal((await new Client(from.bursar.url, DEMO).post(`${PAY}/orders`, sampleOrder())).status, 201)
  await moveBack(options)
  await expectNothingLeftBehind(from)
  assert.equal(await countRows(to, id), 0)
  await moveSchool(options)
  await expectBooksAgree(to, 'demo-school')
})

test('a move whose old cell has failed over after the school had left ends all the same', async () => {
  const { from, to } = await homeOf(cells, 'demo-school')
  await dieAfter('audit', from, to)
  await loseSlot(from, to)
  const move = await moveSchool(cells.moving('demo-school', from, to))
  assert.notEqual(move.finishedAt, null)
  await expectNothingLeftBehind(from)
  await expectBooksAgree(to, 'demo-school')
})

test('a copy that nobody follows is not waited for without end', async () => {
  const { from, to } = await homeOf(cells, 'demo-school')
  await dieAfter('subscribe', from, to)
  await setFollowing(to, 'disable')
  const options = cells.moving('demo-school', from, to)
  await assert.rejects(
    moveSchool({ ...options, unfollowedMs: 500 }),
    /The PostgreSQL of \w+ has not been connected to that of \w+ for 0\.5 s: its log says why/,
  )
  await setFollowing(to, 'enable')
  await moveSchool(options)
  await expectBooksAgree(to, 'demo-school')
})

test('a server that falls silent while the school waits is not waited for without end, and the move goes on', async t => {
  const { from, to } = await homeOf(cells, 'demo-school')
  const line = await startPostgresProxy(new URL(to.address))
  t.after(() => line.close())
  const throughLine = new URL(to.address)
  throughLine.searchParams.set('host', line.host)
  const options = cells.moving('demo-school', from, to)
  const silenced = {
    ...options,
    target: { ...options.target, config: { connectionString: throughLine.href } },
    longestPauseMs: 5_000,
    answerMs: 0,
    report: ({ step }: { step: string }) => {
      if (step === 'arrive') line.fallSilent()
    },
  }
  await assert.rejects(moveSchool(silenced), /the database of \w+ did not answer within 5 s/)
  const move = await moveSchool(options)
  assert.notEqual(move.finishedAt, null)
  await expectBooksAgree(to, 'demo-school')
})
