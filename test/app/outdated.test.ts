import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { subscribe, trigger } from '../webhooks/support.ts'

test('a process that finds a schema newer than its own takes no more work, and says so', async t => {
  const bursar = await startBursar({ after }, { BURSAR_ROLE: 'all' })
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, `${receiver.origin}/hook`)
  await trigger(bursar.demo)
  await waitFor(async () => receiver.requests.length === 1, 'the first delivery')

  await bursar.sql(
    `insert into schema_migrations (version, name, checksum) values (9999, '9999_newer.sql', 'x')`,
  )
  await waitFor(
    async () => /"msg":"a newer Bursar has migrated the database/.test(bursar.logText()),
    'a line',
  )
  await waitFor(async () => (await bursar.demo.get('/readyz')).status === 503, 'not to be ready')
  const { body } = await bursar.demo.get('/readyz')
  assert.equal(body.message, 'The database was migrated by a newer Bursar. Upgrade this process.')
  await bursar.app.deliveries.stop()
  await trigger(bursar.demo)
  const [row] = await bursar.sql<{ due: string }>(
    `select count(*) as due from webhook_deliveries where state = 'pending'`,
  )
  assert.equal(Number(row?.due), 1, 'it waits for a process that knows the schema')
  assert.equal(receiver.requests.length, 1)
})

test('a process works on, and another of its version starts, while a newer schema still fits it', async t => {
  const bursar = await startBursar(t, { BURSAR_ROLE: 'all' })
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, `${receiver.origin}/hook`)
  const [{ version } = { version: 0 }] = await bursar.sql<{ version: number }>(
    'select max(version) as version from schema_migrations',
  )
  await bursar.sql(
    `insert into schema_migrations (version, name, checksum, works_from) values ($1, 'next.sql', 'x', $2)`,
    [version + 1, version],
  )
  const { DATABASE_URL } = { DATABASE_URL: bursar.app.config.databaseUrl ?? '' }
  const sibling = await startBursar(t, { DATABASE_URL })
  await trigger(sibling.demo)
  await waitFor(async () => receiver.requests.length === 1, 'a delivery')
  for (const one of [bursar, sibling]) assert.equal((await one.demo.get('/readyz')).status, 200)
  assert.doesNotMatch(bursar.logText(), /a newer Bursar has migrated/)
})
