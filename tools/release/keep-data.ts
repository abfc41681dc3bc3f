import pg from 'pg'
import { createBursar } from '../../src/app/bursar.ts'
import { readConfig } from '../../src/app/config.ts'
import { EVENT_CODES } from '../../src/events/define-event.ts'
import { DAY_MS } from '../../src/platform/calendar.ts'
import { createLog } from '../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../../test/harness/bursar.ts'
import { credit, TITLES } from '../../test/banking/support.ts'
import { AT, uploadFile } from '../../test/console/orders/support.ts'
import { demoVisitor, type Visitor } from '../../test/console/support.ts'
import { Client, DEMO, type Answer, type Json } from '../../test/harness/client.ts'
import { globalSetup, globalTeardown } from '../../test/harness/global-setup.ts'
import { runWays } from '../../test/sim/ways/ways-model.ts'
import { keepData } from './kept-data.ts'

/**
 * Makes the data that the next release is tried on: the product lives through a storm of every way to pay, gets the recorded
 * school, and is used by an ERP. `node tools/release/keep-data.ts`, when a release is made.
 */
const [SEED, ACTS] = [11, 60]

const cleanups: (() => Promise<void> | void)[] = []
await globalSetup()
try {
  await runWays({ seed: SEED, acts: ACTS, owner: { after: done => void cleanups.unshift(done) } })
  const dropDatabase = cleanups.pop()
  for (const stop of cleanups) await stop()
  const url = await findDatabase()
  await useMore(url)
  const { filled, empty, bytes } = await keepData(url)
  process.stdout.write(`${bytes} bytes; ${filled.length} tables with rows, without: ${empty.join(', ')}\n`)
  await dropDatabase?.()
} finally {
  await globalTeardown()
}

/** The one that the storm left. */
async function findDatabase(): Promise<string> {
  const { url } = JSON.parse(process.env['BURSAR_TEST_SERVER'] ?? '') as { url: string }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'test\\_%'`,
  )
  await client.end()
  const [{ name } = { name: '' }] = rows
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
}

/** A sandbox gets its recorded school when it is seeded. */
async function useMore(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `delete from instance_settings where key in ('sandbox_seeded', 'sandbox_console_seeded')`,
  )
  await client.end()
  const log = createLog({ level: 'error', format: 'json' })
  const env = { PORT: '0', DATABASE_URL: databaseUrl, MASTER_KEY: TEST_MASTER_KEY, DRAIN_SECONDS: '0' }
  const app = await createBursar(readConfig(env), log)
  try {
    const erp = new Client(`http://${app.config.host}:${app.config.port}`, DEMO)
    for (const code of EVENT_CODES)
      done(await erp.post('/api/v1/sandbox/events/trigger', { event_code: code }))
    await workInOffice(await demoVisitor(erp.url))
  } finally {
    await app.stop()
  }
}

/** What the storm and the recorded school leave out: files, papers at the counter, the bank. */
async function workInOffice(office: Visitor): Promise<void> {
  const [student] = (await office.get(`${AT}/students?limit=1`)).body.data
  const { day } = (await office.get(`${AT}/counter/day`)).body.data
  const cheque = { bank: 'Canara Bank', number: '004511', date: day }
  const fees = { component_type: 'TUITION_FEE', amount: 100 }
  const paid = await office.post(`${AT}/students/${student.service_student_id}/payments`, {
    amount: fees.amount,
    paid_at: day,
    mode: 'cheque',
    instrument: cheque,
    transaction_id: 'CHQ/1',
    fee_components: [fees],
    issue_receipt: true,
  })
  done(paid)
  const account = done(await office.post(`${AT}/bank-accounts`, { name: 'Canara Bank, current' })).id
  const [taken] = (await office.get(`${AT}/counter/cheques`)).body.data
  done(await office.post(`${AT}/counter/deposits`, { account_id: account, cheques: [taken.payment_id] }))
  const nextMonth = new Date(Date.parse(day) + 30 * DAY_MS).toISOString().slice(0, 10)
  const later = { ...cheque, number: '004512', amount: 100, date: nextMonth }
  done(
    await office.post(`${AT}/counter/post-dated-cheques`, {
      service_student_id: student.service_student_id,
      cheques: [later],
    }),
  )
  const statement = ['CANARA BANK', TITLES, credit(day, 'UPI', 'R1', 100)].join('\r\n')
  done(await uploadFile(office, statement, { to: 'bank/statements', query: `account_id=${account}` }))
  const links = 'name,phone,email,component_type,amount\nAsha,9876543210,a@example.in,TUITION_FEE,100'
  done(await uploadFile(office, links))
}

function done({ status, text, body }: Answer): Json {
  if (status >= 300) throw new Error(text)
  return body.data
}
