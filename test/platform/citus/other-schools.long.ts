import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBursar } from '../../../src/app/bursar.ts'
import { connectTo } from '../../../src/app/open-database.ts'
import { findProblems } from '../../../src/app/status/status.rules.ts'
import { readStatus } from '../../../src/app/status/status.service.ts'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import type { Answer, Client, Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { withoutCitus } from '../../harness/postgres/databases.ts'
import { stringLine } from '../../harness/postgres/worker-line.ts'
import { startReceiver, type Receiver } from '../../harness/receiver.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'

/** Runs only where TEST_DATABASE_URL names the coordinator of a Citus on this machine. */
const skip = withoutCitus()

const FLEX = '/api/v1/integrations/flex'
const SANDBOX = '/api/v1/sandbox'
const FEES = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]

async function must(answering: Promise<Answer>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, `${status} ${text}`)
  return body.data
}

/** A school with a plan whose mandate is given, an order, and an ERP that wants to be told of payments. */
type School = {
  client: Client
  code: string
  receiver: Receiver
  planId: string
  orderId: string
  instituteId: number
}

async function openSchool(
  t: { after(done: () => Promise<void> | void): void },
  { app, url }: TestBursar,
  { client, code }: Pick<School, 'client' | 'code'>,
): Promise<School> {
  const branch = code === 'demo-group' ? { collector_code: 'NORTH' } : {}
  const receiver = await startReceiver(t)
  await must(client.post(`${ERP}/webhooks`, sampleWebhook({ url: receiver.url, ...branch })))
  const { service_student_id: student } = await must(
    client.post(`${ERP}/users/parent-1/students`, { student: sampleStudent(branch), fee_components: FEES }),
  )
  const { plan_id: planId } = await must(client.post(`${FLEX}/students/${student}/plans`, {}))
  const institute = await getInstitute(app.ctx, code)
  await startMandate(
    app.ctx,
    { instituteId: institute.id, planId },
    { rail: 'enach', language: 'en', returnUrl: url },
  )
  await must(client.post(`${SANDBOX}/flex/plans/${planId}/authorise`))
  const { order_id: orderId } = await must(client.post(`${PAY}/orders`, sampleOrder(branch)))
  return { client, code, receiver, planId, orderId, instituteId: institute.id }
}

test(
  'other schools’ due work is done while a worker is away, and that of its own when it is back',
  { skip },
  async t => {
    const bursar = await startBursar(t, { BURSAR_ROLE: 'all' })
    const lost = await openSchool(t, bursar, { client: bursar.demo, code: 'demo-school' })
    const other = await openSchool(t, bursar, { client: bursar.group, code: 'demo-group' })
    const line = await stringLine(t, bursar, 'demo-school')
    line.cut()
    assert.equal((await lost.client.get(`${PAY}/orders/${lost.orderId}`)).status, 503)

    // What a family pays now is told to the ERP and confirmed to the family, and the requests stand in the log.
    await must(other.client.post(`${SANDBOX}/pay/orders/${other.orderId}/pay`, { outcome: 'success' }))
    await other.receiver.waitForRequests(1)
    const count = async (table: string, where = 'true'): Promise<number> =>
      (
        await bursar.sql<{ count: number }>(
          `select count(*)::int as count from ${table} where institute_id = $1 and ${where}`,
          [other.instituteId],
        )
      )[0]!.count
    await waitFor(async () => (await count('messages', `state = 'sent'`)) > 0, 'a message')
    await waitFor(async () => (await count('api_requests', `route like '%/pay'`)) > 0, 'a line in the log')

    // Months pass, in which instalments are debited.
    const statusesOf = async ({ client, planId }: School): Promise<string[]> =>
      (await must(client.get(`${FLEX}/plans/${planId}`))).payment_schedule.map((one: Json) => one.status)
    const debited = async (school: School): Promise<number> =>
      (await statusesOf(school)).filter(status => status === 'debited' || status === 'settled').length
    for (let months = 0; months < 4 && (await debited(other)) === 0; months++) {
      const { failed } = await must(bursar.group.post(`${SANDBOX}/clock`, { advance: 'P1M' }))
      // The bank of the sandbox pays out to all schools together, so that waits.
      assert.deepEqual(
        Object.keys(failed ?? {}).filter(job => job !== 'items_settled'),
        [],
      )
    }
    assert.ok((await debited(other)) > 0, JSON.stringify(await statusesOf(other)))
    assert.match(bursar.logText(), /a database worker does not answer/)

    // A process that starts meanwhile does not wait for it.
    const { config } = bursar.app
    const second = await createBursar(
      { ...config, port: 0, role: 'api' },
      createLog({ level: 'silent', format: 'json' }),
    )
    await second.stop()

    const group = await getInstitute(bursar.app.ctx, other.code)
    assert.deepEqual((await reconcile(bursar.app.ctx, group)).differences, [])

    // Who looks is told which worker it is, and how the schools of the others fare.
    const connected = await connectTo(bursar.app.config)
    assert.ok(connected !== null)
    t.after(() => connected.db.close())
    const status = await readStatus(bursar.app.config, connected)
    const seen = status.database.workers.map(
      ({ answers, schools, bytes }) => `${answers} ${schools} ${bytes !== null}`,
    )
    assert.deepEqual(seen.toSorted(), ['false 1 false', 'true 1 true'])
    assert.match(
      findProblems(status).join(' '),
      /The database worker \S+ does not answer, and its 1 schools wait/,
    )
    const metrics = await (await fetch(`${bursar.url}/metrics`)).text()
    assert.match(metrics, /bursar_database_worker_up\{worker="[^"]+"\} 0/)
    assert.match(metrics, /bursar_due_rows\{work="messages_sent"\} \d/)

    line.mend()
    await waitFor(async () => bursar.logText().includes('a database worker answers again'), 'the worker')
    await must(lost.client.post(`${SANDBOX}/pay/orders/${lost.orderId}/pay`, { outcome: 'success' }))
    await lost.receiver.waitForRequests(1)
    await must(bursar.group.post(`${SANDBOX}/clock`, { advance: 'P10D' }))
    await waitFor(async () => (await debited(lost)) > 0, 'the debit of the school that waited')
    const captured = await bursar.sql<{ instituteId: number; count: number }>(
      `select institute_id as "instituteId", count(*)::int as count from payments where state = 'captured'
     group by institute_id order by institute_id`,
    )
    // The order and one instalment each.
    assert.deepEqual(
      captured,
      [lost, other].map(({ instituteId }) => ({ instituteId, count: 2 })),
    )
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  },
)

test(
  'a worker that hangs costs other schools one time-out, and none of their deliveries is sent twice',
  { skip },
  async t => {
    const bursar = await startBursar(t, { BURSAR_ROLE: 'all' })
    const other = await openSchool(t, bursar, { client: bursar.group, code: 'demo-group' })
    const lost = await openSchool(t, bursar, { client: bursar.demo, code: 'demo-school' })
    const line = await stringLine(t, bursar, 'demo-school')
    // A delivery of the lost school is on its way: its result cannot be written.
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    lost.receiver.answer(async () => {
      await answered
      return { body: 'ok' }
    })
    await must(lost.client.post(`${SANDBOX}/pay/orders/${lost.orderId}/pay`, { outcome: 'success' }))
    await lost.receiver.waitForRequests(1)
    line.freeze()
    answer()
    const pay = async (): Promise<number> => {
      const before = performance.now()
      const { order_id: id } = await must(
        other.client.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' })),
      )
      const count = other.receiver.requests.length
      await must(other.client.post(`${SANDBOX}/pay/orders/${id}/pay`, { outcome: 'success' }))
      await other.receiver.waitForRequests(count + 1, 30_000)
      return performance.now() - before
    }
    const first = await pay()
    const later = [await pay(), await pay(), await pay()]
    console.log(
      `worker that hangs: told after ${Math.round(first)} ms, then ${later.map(ms => Math.round(ms)).join(', ')} ms`,
    )
    for (const ms of later) assert.ok(ms < 5_000, `${ms}`)
    const ids = other.receiver.requests.map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(ids).size, 4)
    assert.equal(ids.length, 4, 'each is sent once')
    line.mend()
    await waitFor(async () => bursar.logText().includes('a database worker answers again'), 'the worker')
  },
)
