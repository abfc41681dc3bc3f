import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startBursar, TEST_MASTER_KEY, type TestBursar } from '../../harness/bursar.ts'
import { cloneDatabase, runAsAdmin } from '../../harness/postgres/databases.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'

type Trouble = { begin(): Promise<void>; end(): Promise<void> }

async function readOnly(bursar: TestBursar): Promise<Trouble> {
  const [row] = await bursar.sql<{ name: string }>('select current_database() as name')
  const set = (value: 'on' | 'off') =>
    runAsAdmin(`alter database ${row?.name} set default_transaction_read_only = ${value};
      select pg_terminate_backend(pid) from pg_stat_activity where datname = '${row?.name}'`)
  return { begin: () => set('on'), end: () => set('off') }
}

/** PostgreSQL's own error, raised where it would: a test has no disk of its own to fill. */
async function diskFull(bursar: TestBursar): Promise<Trouble> {
  const run = async (text: string): Promise<void> => void (await bursar.sql(text))
  await run(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  const tables = ['orders', 'schema_migrations']
  return {
    async begin() {
      for (const table of tables)
        await run(`create trigger full_disk before insert or update on ${table} execute function full_disk()`)
    },
    async end() {
      for (const table of tables) await run(`drop trigger full_disk on ${table}`)
    },
  }
}

for (const [name, cause] of Object.entries({ 'a read-only database': readOnly, 'a full disk': diskFull })) {
  test(`${name} is a 503 and not ready, one line in the log, and over when it is over`, async t => {
    const bursar = await startBursar(t)
    const trouble = await cause(bursar)
    const create = () => bursar.demo.post(`${PAY}/orders`, sampleOrder())
    const { order_id: orderId } = (await create()).body.data
    await trouble.begin()
    await waitFor(async () => (await create()).status === 503, 'the first refusal')
    for (let times = 0; times < 3; times++) {
      const refused = await create()
      assert.deepEqual([refused.status, refused.body.code], [503, 'SYE00001'])
    }
    assert.equal((await bursar.demo.get(`${PAY}/orders/${orderId}`)).status, 200, 'reading goes on')
    await waitFor(async () => (await bursar.demo.get('/readyz')).status === 503, 'not to be ready')
    assert.equal(bursar.logText().match(/"msg":"the database takes no writes"/g)?.length, 1)
    await trouble.end()
    await waitFor(async () => (await create()).status === 201, 'an order')
    await waitFor(async () => (await bursar.demo.get('/readyz')).status === 200, 'to be ready')
  })
}

test('a start on a read-only database is refused in words', async t => {
  const url = await cloneDatabase(t)
  const name = new URL(url).pathname.slice(1)
  await runAsAdmin(`alter database ${name} set default_transaction_read_only = on`)
  await assert.rejects(
    createBursar(configFor(url), createLog({ level: 'silent', format: 'json' })),
    /The database is read-only\. If it is a standby, point DATABASE_URL at the primary\./,
  )
})

function configFor(url: string) {
  return readConfig({ PORT: '0', DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY, DRAIN_SECONDS: '0' })
}
