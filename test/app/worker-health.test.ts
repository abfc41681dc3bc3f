import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'

test('a worker serves its health and metrics on WORKER_PORT, and nothing else', async t => {
  const { app } = await startBursar(t, { BURSAR_ROLE: 'worker', WORKER_PORT: '0' })
  const at = `http://127.0.0.1:${app.config.workerPort}`
  assert.equal((await fetch(`${at}/healthz`)).status, 200)
  assert.equal((await fetch(`${at}/readyz`)).status, 200)
  await waitFor(async () => {
    const text = await (await fetch(`${at}/metrics`)).text()
    return /bursar_job_last_run_timestamp_seconds\{job="messages_sent"\} \d/.test(text)
  }, 'the figures of a job')
  const text = await (await fetch(`${at}/metrics`)).text()
  for (const job of ['reminders_decided', 'webhook_mails', 'plans_rebalanced', 'messages_sent'])
    assert.match(text, new RegExp(`bursar_job_oldest_due_seconds\\{job="${job}"\\} 0`))
  for (const path of ['/api/v1/integrations/pay/orders', '/console', '/docs', '/login-redirect'])
    assert.equal((await fetch(at + path)).status, 404)
  assert.equal((await fetch(`${at}/healthz`, { method: 'POST' })).status, 405)
})

test('a second worker on the same port is refused and told which setting to change', async t => {
  const { app } = await startBursar(t, { BURSAR_ROLE: 'worker', WORKER_PORT: '0' })
  const { workerPort } = app.config
  await assert.rejects(
    startBursar(t, { BURSAR_ROLE: 'worker', WORKER_PORT: String(workerPort) }),
    new RegExp(`Port ${workerPort} on 127.0.0.1 is in use. Set WORKER_PORT to a free one`),
  )
})

test('a process is stopped once, however often it is asked to', async t => {
  const { app } = await startBursar(t, { BURSAR_ROLE: 'all' })
  await Promise.all([app.stop(), app.stop()])
  // And once more when the test is over.
  await assert.rejects(fetch(`${app.config.publicUrl}/healthz`))
})
