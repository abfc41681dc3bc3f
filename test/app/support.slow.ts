import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { writeBundle, MOST_BYTES, withoutPeople } from '../../src/app/support/support.rules.ts'
import { writeSetting } from '../../src/platform/db/instance-settings.ts'
import { run, scratch } from '../cli/command-line.ts'
import { createPerson } from '../console/support.ts'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { NOBODY } from '../harness/nobody.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'

const bursar = await startBursar({ after })
const { config, ctx } = bursar.app
const TOKEN = 'zyxsecret-metrics'
const SECRETS = {
  DATABASE_URL: config.databaseUrl ?? '',
  MASTER_KEY: TEST_MASTER_KEY,
  METRICS_TOKEN: TOKEN,
  SMTP_URL: `smtp://zyxperson:zyxsecret%21mail@${NOBODY}`,
  MAIL_FROM: 'Zyxperson <zyxperson@mark.example>',
  SECURITY_CONTACT: 'zyxperson@mark.example',
}
/** A person, as a name, an address and numbers; and whatever is secret. */
const MARK = 'Zyxperson zyxperson@mark.example +91 90000 12345 900001234567'
const MARKS = new RegExp(
  `zyx|mark\\.example|90000 ?12345|${TEST_MASTER_KEY}|${RegExp.escape(SECRETS.DATABASE_URL)}`,
  'i',
)

/** Writes the mark into every column of text that takes it; answers how many did. */
async function markAll(): Promise<number> {
  const client = new pg.Client({ connectionString: SECRETS.DATABASE_URL })
  await client.connect()
  // Neither keys nor triggers keep a mark out; what a check allows is code, and no text of people.
  await client.query(`set session_replication_role = replica`)
  const { rows } = await client.query<{ name: string; field: string }>(
    `select c.relname as name, a.attname as field from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.atttypid = 'text'::regtype
       and c.relname not in ('instance_settings', 'schema_migrations')
       and not a.attname ~ '^(id|code|provider)$|_id$|_code$'
       and not exists (select from pg_index i where i.indrelid = c.oid and a.attnum = any(i.indkey))`,
  )
  let marked = 0
  for (const { name, field } of rows) {
    const { rowCount } = await client
      .query(`update ${name} set ${field} = $1`, [MARK])
      .catch(() => ({ rowCount: 0 }))
    if ((rowCount ?? 0) > 0) marked += 1
  }
  await client.end()
  return marked
}

test('a bundle for support holds neither a person nor a secret of a database full of both', async t => {
  const { demo } = bursar
  await createPerson(bursar, { email: 'zyxperson@mark.example', name: 'Zyxperson', role: 'owner' })
  const student = sampleStudent({ fullname: 'Zyxperson', primary_contact_email: 'zyxperson@mark.example' })
  await demo.post(`${ERP}/users/parent-1/students`, { student })
  const { order_id: order } = (await demo.post(`${PAY}/orders`, sampleOrder({ name: MARK }))).body.data
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })
  await demo.post(`${ERP}/webhooks`, sampleWebhook({ secret_key: 'zyxsecret-of-a-webhook' }))
  await bursar.sql(
    `insert into provider_accounts (institute_id, id, provider, title, methods, rails, key_kind, key_hint, key_fingerprint,
       settings_sealed, check_problem, created_at, created_by, changed_at, changed_by)
     select id, 'pa_1', 'razorpay', 'Main', '{upi}', '{}', 'test', '', '', '', 'refused', now(), 'x', now(), 'x'
     from institutes where code = 'demo-school'`,
  )
  assert.ok((await markAll()) > 30)
  const failed = { at: new Date().toISOString(), process: 'bursar/all', what: 'job messages_sent' }
  const states = [
    `no mailbox "${MARK}"`,
    `550 5.1.1 <zyxperson@mark.example> unknown`,
    'call 9000012345',
    SECRETS.SMTP_URL,
  ]
  await writeSetting(ctx.db, 'health_history', JSON.stringify(states.map(state => ({ ...failed, state }))))

  const file = join(scratch(t), 'support.json')
  const { code, out, err } = await run({ ...SECRETS, PORT: String(config.port) }, 'support', file)
  assert.equal(code, 0, err)
  assert.match(out, /Read it before you send it\.$/m)
  const text = readFileSync(file, 'utf8')
  assert.deepEqual(
    text.split('\n').filter(line => MARKS.test(line)),
    [],
  )
  const bundle: Json = JSON.parse(text)
  assert.equal(bundle.settings.SMTP_URL, 'set')
  assert.equal(bundle.settings.DB_POOL_SIZE, '16 (default)')
  assert.equal(bundle.database.history.length, states.length)
  assert.equal(bundle.database.status.database.schema, 'fits')
  assert.match(JSON.stringify(bundle.database.status.problems), /Account pa_1 of demo-school: refused when/)
  assert.deepEqual(bundle.database.schema.migrations, [])
  assert.ok(bundle.database.tables.some(({ name, bytes }: Json) => name === 'payments' && bytes > 0))
  assert.ok(bundle.doctor.some(({ subject }: Json) => subject === 'Database server'))
  assert.ok('bursar_job_rows_total{job="orders_expired"}' in bundle.figures)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal((await run(SECRETS, 'support', file)).code, 1, 'what is there is not written over')
})

test('a bundle is written when the database is away or the settings are wrong: that is what is asked about', async t => {
  for (const env of [
    { DATABASE_URL: `postgres://${NOBODY}/x`, MASTER_KEY: TEST_MASTER_KEY },
    { PORT: 'many' },
  ]) {
    const file = join(scratch(t), 'support.json')
    const { code, err } = await run(env, 'support', file)
    assert.equal(code, 0, err)
    const bundle: Json = JSON.parse(readFileSync(file, 'utf8'))
    assert.match(bundle.failed ?? bundle.database.failed, /^PORT must be|ECONNREFUSED/)
  }
})

test('a bundle is at most 1 MB, however much there is to tell', () => {
  const accounts = Array.from({ length: 20_000 }, (_, no) => ({ id: `pa_${no}`, problem: 'x'.repeat(5_000) }))
  const text = writeBundle({ accounts, others: accounts }, [])
  assert.ok(Buffer.byteLength(text) <= MOST_BYTES)
  assert.match(text, /and 1\d{4} more/)
})

test('times, versions and figures stay as they are', () => {
  const text = 'since 2026-11-19T09:30:00.000Z, last on 2026-11-19 02:30, 18.4, order_01jd, 550 5.1.1'
  assert.equal(withoutPeople(text, []), text)
})
