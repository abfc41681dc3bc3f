import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { API, demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { queue } from '../messages/support.ts'

const bursar = await startBursar({ after })
const { app, demo, url } = bursar

async function metric(name: string, job: string): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find(one => one.startsWith(`bursar_job_${name}{job="${job}"}`))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

function runOf(page: Json, job: string): Json {
  return page.runs.find((run: Json) => run.job === job)
}

test('/metrics and the operator see of each job its last run, duration, rows, failures in a row and oldest due row', async () => {
  const order = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'pending' })
  // Its provider is not set up, so asking about it fails; a minute later it is tried again.
  await bursar.sql(
    `update payments set provider = 'razorpay', account_id = 'razorpay', next_check_at = now() - interval '10 minutes'`,
  )
  await queue(bursar, {}, { at: new Date(Date.now() - 600_000) })

  assert.ok(((await metric('oldest_due_seconds', 'messages_sent')) ?? 0) >= 600)
  assert.ok(((await metric('oldest_due_seconds', 'payments_checked')) ?? 0) >= 600)
  assert.equal(await metric('last_run_timestamp_seconds', 'messages_sent'), undefined)
  const operator = await demoVisitor(url, 'operator@bursar.example')
  const read = async (): Promise<Json> => (await operator.get(`${API}/operator/jobs`)).body.data
  const before = await read()
  assert.equal(before.runs_here, false)
  assert.deepEqual(
    [runOf(before, 'messages_sent').rows, runOf(before, 'messages_sent').last_run_at],
    [0, undefined],
  )
  assert.ok(runOf(before, 'messages_sent').oldest_due_seconds >= 600)

  app.worker.start()
  await waitFor(async () => (await metric('rows_total', 'messages_sent')) === 2, 'the messages')
  await waitFor(async () => (await metric('failures_in_a_row', 'payments_checked')) === 1, 'the failure')
  assert.ok(((await metric('last_run_timestamp_seconds', 'messages_sent')) ?? 0) > Date.now() / 1_000 - 60)
  assert.ok(((await metric('duration_seconds', 'messages_sent')) ?? 0) > 0)
  assert.deepEqual(
    [
      await metric('oldest_due_seconds', 'messages_sent'),
      await metric('oldest_due_seconds', 'payments_checked'),
      await metric('failures_in_a_row', 'messages_sent'),
      await metric('failures_total', 'payments_checked'),
    ],
    [0, 0, 0, 1],
  )
  const page = await read()
  assert.equal(page.runs_here, true)
  const messages = runOf(page, 'messages_sent')
  assert.deepEqual(
    [messages.kind, messages.rows, messages.failures_in_a_row, messages.oldest_due_seconds],
    ['work', 2, 0, 0],
  )
  assert.ok(Date.parse(messages.last_run_at) > Date.now() - 60_000 && messages.duration_ms >= 0)
  const payments = runOf(page, 'payments_checked')
  assert.equal(payments.failures_in_a_row, 1)
  assert.match(payments.last_failure.message, /razorpay is not configured/)
  assert.equal(runOf(page, 'answers_purged').kind, 'purge')
  const { workers } = (await operator.get(`${API}/operator/health`)).body.data
  assert.equal(workers.runs_here, true)
  assert.match(workers.last_failure.message, /razorpay is not configured/)
})
