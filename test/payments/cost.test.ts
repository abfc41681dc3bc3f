import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { after, before, test } from 'node:test'
import { namedQuery, STATEMENTS } from '../../src/platform/db/client.ts'
import { runUntilDone, Slots } from '../../src/platform/jobs/job.ts'
import { sendMessages } from '../../src/messages/messages.service.ts'
import { checkPayments } from '../../src/payments/payments.service.ts'
import { notifyPayers } from '../../src/payments/notices/notices.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { startReceiver } from '../harness/receiver.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { countStatements, sentSince, type SentStatements } from '../harness/statement-count.ts'
import { Visitor } from '../harness/visitor.ts'
import { waitFor } from '../harness/wait.ts'
import { findSender } from '../../tools/tenancy/watch.ts'

/** What a process looks at by itself, and a key or a calendar that it reads again now and then. */
const IDLE =
  /pg_current_snapshot|schema_migrations|instance_settings|api_keys|api_requests|holidays|select count\(\*\)::int as "left"/
const sent = countStatements(text => IDLE.test(text))
/** Who sent what, for whoever has to find the one that is too many. */
const listed: string[] = []
const texts = new Set<string>()
subscribe(STATEMENTS, text => {
  texts.add(String(text))
  if (!IDLE.test(String(text)))
    listed.push(`${findSender() ?? 'the test'}: ${String(text).replaceAll(/\s+/g, ' ').slice(0, 90)}`)
})
const bursar = await startBursar({ after })
const receiver = await startReceiver({ after })
const { ctx, deliveries } = bursar.app
// As a process does that has the jobs too.
const heard = (['receipts', 'messages'] as const).map(channel => ctx.db.listen(channel, () => {}))
after(() => Promise.all(heard.map(listener => listener.stop())))

before(async () => {
  const { status } = await bursar.demo.post('/api/v1/integrations/erp/webhooks', {
    event_code: 'order.payment.debited',
    url: receiver.url,
    failure_notification_email: 'it@example.in',
  })
  assert.equal(status, 201)
  deliveries.start()
  for (const listener of heard) listener.start()
})

async function createOrder(): Promise<{ order_id: string; redirect_url: string }> {
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  return body.data
}

async function payByApi(): Promise<void> {
  const { order_id: id } = await createOrder()
  const { status } = await bursar.demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })
  assert.equal(status, 200)
}

async function payByPage(): Promise<void> {
  const page = new URL((await createOrder()).redirect_url).pathname
  const visitor = new Visitor(bursar.url)
  await visitor.open(page)
  const started = await visitor.post(`${page}/start`, { mode: 'upi' })
  const bank = new URL(started.location ?? '').pathname
  await visitor.open(bank)
  const paid = await visitor.post(bank, { mode: 'upi', outcome: 'success' })
  const end = await visitor.open(new URL(paid.location ?? '').pathname)
  assert.match(end.text, /receipt\.pdf/)
}

/** Everything that a payment causes: its webhook and its record, the payer's notices, and the messages that tell them. */
async function doTheRest(delivered: number): Promise<void> {
  await waitFor(async () => {
    const [row] = await bursar.sql<{ left: number }>(`select count(*)::int as "left" from webhook_queue`)
    return receiver.requests.length > delivered && row?.left === 0
  }, 'the webhook to be delivered')
  assert.equal(await notifyPayers(ctx, 100), 1)
  await runUntilDone(sendMessages(ctx), new Slots({ size: 5, timeLimitMs: 10_000 }))
}

type Cost = SentStatements & { list: string }

/** The least of several: a look of the engine that falls between two costs the payment nothing. */
async function leastOf(times: number, pay: () => Promise<void>): Promise<Cost> {
  const costs: Cost[] = []
  for (let time = 0; time < times; time++) {
    const before = { ...sent }
    const { length } = receiver.requests
    listed.length = 0
    await pay()
    await doTheRest(length)
    costs.push({ ...sentSince(sent, before), list: listed.join('\n') })
  }
  const [cheapest] = costs.toSorted((one, other) => one.statements - other.statements)
  const least = (key: keyof SentStatements): number => Math.min(...costs.map(each => each[key]))
  const { list = '' } = cheapest ?? {}
  return { statements: least('statements'), commits: least('commits'), flushes: least('flushes'), list }
}

function assertMost({ list, ...cost }: Cost, most: SentStatements): void {
  for (const [name, value] of Object.entries(cost))
    assert.ok(value <= most[name as keyof SentStatements], `${value} ${name}:\n${list}`)
}

test('a payment by API, with its webhook and its mail, keeps its number of statements and commits', async () => {
  assertMost(await leastOf(5, payByApi), { statements: 24, commits: 14, flushes: 5 })
})

test('a payment by the hosted page, with its webhook and its mail, keeps its number of statements and commits', async () => {
  assertMost(await leastOf(5, payByPage), { statements: 32, commits: 22, flushes: 5 })
})

test('asking about a payment that is not decided writes its lease and its end, and waits for no disk', async () => {
  const { order_id: id, redirect_url: url } = await createOrder()
  await new Visitor(bursar.url).post(`${new URL(url).pathname}/start`, { mode: 'upi' })
  await bursar.sql(`update payments set next_check_at = now() - interval '1 minute' where order_id = $1`, [
    id,
  ])
  const before = { ...sent }
  listed.length = 0
  await runUntilDone(checkPayments(ctx), new Slots({ size: 5, timeLimitMs: 10_000 }))
  // The lease, the answer, whether the order still wants money, the end; and the lease of nothing more.
  assertMost(
    { ...sentSince(sent, before), list: listed.join('\n') },
    { statements: 5, commits: 5, flushes: 0 },
  )
  const left = await bursar.sql(
    `select from payments where order_id = $1 and next_check_at > now() and held_until is null`,
    [id],
  )
  assert.equal(left.length, 1)
})

test('no read of a payment, or for work that is due, is parsed and planned anew each time', () => {
  const reads = [...texts].filter(text => !text.includes('$1') && /^\W*(select|with)\b/.test(text))
  const unnamed = reads.filter(text => namedQuery(text, []).name === undefined)
  assert.ok(reads.length > 1, 'reads without values are looked at')
  assert.deepEqual(unnamed, [])
})
