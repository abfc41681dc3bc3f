import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { HealthHistory, readHealthHistory } from '../../src/app/health-history.ts'
import { addHealthRoutes, createMetrics } from '../../src/http/metrics.ts'
import { run } from '../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'

const bursar = await startBursar({ after })
const { ctx, worker, config } = bursar.app

type Sources = ConstructorParameters<typeof HealthHistory>[0]

function historyOf(process: string, changes: Partial<Sources> = {}): HealthHistory {
  return new HealthHistory({
    db: ctx.db,
    process,
    findRefusal: async () => null,
    warnings: () => [],
    jobs: () => [],
    log: ctx.log,
    ...changes,
  })
}

async function keptOf(process: string): Promise<string[]> {
  const changes = await readHealthHistory(ctx.db)
  return changes.filter(one => one.process === process).map(({ what, state }) => `${what}: ${state}`)
}

test('a trouble stands in the history once, with its end, however long it lasts', async () => {
  let failure: { at: Date; message: string } | null = null
  const history = historyOf('one', {
    jobs: () => [{ name: 'messages_sent', failuresInARow: failure === null ? 0 : 3, lastFailure: failure }],
  })
  await history.look()
  failure = { at: new Date(), message: 'the mail server is away' }
  await history.look()
  failure = { at: new Date(), message: 'the mail server is still away' }
  await history.look()
  failure = null
  await history.look()
  await history.stop()
  assert.deepEqual(await keptOf('one'), [
    'process: working',
    'job messages_sent: the mail server is away',
    'job messages_sent: well',
    'process: stopped',
  ])
})

test('an outage of the database itself is written when it is over, with the time of its beginning', async () => {
  let refusal: Error | null = new Error('The database does not answer in time.')
  const history = historyOf('two', { findRefusal: async () => refusal })
  await history.look()
  assert.deepEqual(await keptOf('two'), [])
  const between = new Date().toISOString()
  refusal = null
  await history.look()
  assert.deepEqual(await keptOf('two'), [
    'process: working',
    'ready: The database does not answer in time.',
    'ready: well',
  ])
  const [, began, ended] = (await readHealthHistory(ctx.db)).filter(one => one.process === 'two')
  assert.ok((began?.at ?? '') <= between && between <= (ended?.at ?? ''))
})

test('what /readyz refuses between two looks is kept too', async t => {
  const history = historyOf('three')
  const app = Fastify()
  t.after(() => app.close())
  const noticed = (refusal: string | null): void => history.note('ready', refusal)
  addHealthRoutes(app, {
    ctx,
    readiness: { isDraining: false, warnings: () => [], noticed },
    metrics: createMetrics(ctx.db, worker),
    metricsToken: null,
  })
  const version = 9_999
  await bursar.sql(`insert into schema_migrations (version, name, checksum) values ($1, 'next.sql', 'x')`, [
    version,
  ])
  assert.equal((await app.inject('/readyz')).statusCode, 500)
  await bursar.sql('delete from schema_migrations where version = $1', [version])
  assert.equal((await app.inject('/readyz')).statusCode, 200)
  await history.look()
  assert.match(
    (await keptOf('three')).join(),
    /ready: The database was migrated by a newer Bursar.*ready: well/,
  )
})

test('it stays small: the last 200 changes of all processes, each cut to 200 characters', async () => {
  const history = historyOf('four')
  for (let count = 0; count < 150; count++) {
    history.note('ready', 'x'.repeat(1_000))
    history.note('ready', null)
  }
  await history.look()
  await historyOf('five').look()
  const changes = await readHealthHistory(ctx.db)
  assert.equal(changes.length, 200)
  assert.ok(changes.every(({ state }) => state.length <= 200))
})

test('a command shows it', async () => {
  const env = { DATABASE_URL: config.databaseUrl ?? '', MASTER_KEY: TEST_MASTER_KEY }
  const { out } = await run(env, 'status', '--history')
  assert.match(out, /^AT +PROCESS +WHAT +STATE$/m)
  assert.match(out, / IST +five +process +working$/m)
})
