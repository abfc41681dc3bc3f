import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { getInstitute, readCallbackKey } from '../../src/institutes/institutes.service.ts'
import { eventsGuide } from '../../tools/events-guide.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { SECRET, startDelivering, subscribe } from './support.ts'

/** The guide for ERP developers: its tables are the catalogue's and its samples run. */
const GUIDE = new URL('../../docs/erp-developer/', import.meta.url)
const integration = readFileSync(new URL('integration.md', GUIDE), 'utf8')

const samplePath = (name: string): string => fileURLToPath(new URL(`samples/${name}.mjs`, GUIDE))

test("the guide's page of events is the catalogue's", () => {
  const page = readFileSync(new URL('events.md', GUIDE), 'utf8')
  assert.ok(page === eventsGuide(), 'events.md is not up to date: run `node tools/events-guide.ts`')
})

for (const name of ['check-callback', 'receive-webhooks'])
  test(`the guide shows the sample ${name} as it is`, () => {
    const sample = readFileSync(samplePath(name), 'utf8').trimEnd()
    assert.ok(integration.includes(`\`\`\`js\n${sample}\n\`\`\``))
  })

type Sample = { port: number; lines: string[] }

async function startSample(name: string, env: Record<string, string>): Promise<Sample> {
  const child = spawn(process.execPath, [samplePath(name)], { env: { ...env, PORT: '0' } })
  after(() => child.kill())
  const lines: string[] = []
  child.stdout.on('data', (text: Buffer) => lines.push(...text.toString().trim().split('\n')))
  await waitFor(async () => lines.length > 0, 'the sample to listen')
  return { port: Number(lines[0]?.split(' ').at(-1)), lines }
}

const bursar = await startDelivering({ after })

/** Runs the sample as its reader would. */
async function checkCallback(address: string, key: string): Promise<string> {
  const child = spawn(process.execPath, [samplePath('check-callback'), address, key])
  return (await Array.fromAsync(child.stdout)).join('').trim()
}

test('the receiver of the guide books each payment once, of two events and a repeat, and survives a request without a signature', async () => {
  const receiver = await startSample('receive-webhooks', { SECRET_KEY: SECRET })
  const url = `http://127.0.0.1:${receiver.port}/hooks`
  for (const event_code of ['pay.payment.debited', 'order.payment.debited', 'masterdata.student.registered'])
    await subscribe(bursar.demo, url, { event_code })
  const body = JSON.stringify({ event_id: 'evt_1', event: 'pay.payment.debited', payload: {} })
  const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', body, headers })
  assert.equal((await post({})).status, 401)
  assert.equal((await post({ 'x-signature': 'no hex' })).status, 401)
  assert.equal(
    (await post({ 'x-signature': createHmac('sha256', 'other').update(body).digest('hex') })).status,
    401,
  )

  const order = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  const path = `/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`
  assert.equal((await bursar.demo.post(path, { outcome: 'success' })).status, 200)
  await bursar.demo.post('/api/v1/sandbox/events/trigger', { event_code: 'masterdata.student.registered' })
  await waitFor(async () => {
    const rows = await bursar.sql(`select 1 from webhook_deliveries where state = 'delivered'`)
    return rows.length === 3
  }, 'all three events to be delivered')
  const { body: sent } = await bursar.demo.get('/api/v1/integrations/erp/deliveries')
  await bursar.demo.post(`/api/v1/integrations/erp/deliveries/${sent.data[0].id}/redeliver`)
  await waitFor(async () => {
    const { body: again } = await bursar.demo.get(`/api/v1/integrations/erp/deliveries/${sent.data[0].id}`)
    return again.data.attempts.length === 2 && again.data.status === 'delivered'
  }, 'the repeat to be delivered')
  const [payment] = await bursar.sql<{ id: string; rupees: number }>(
    'select id, (amount_paise / 100)::int as rupees from payments',
  )
  assert.deepEqual(receiver.lines.slice(1), [`booked ${payment?.id} ${payment?.rupees}`])
})

test("the guide's check of a callback knows our address from a forged one, and its worked example is right", async () => {
  const callback_url = 'https://erp.example.in/fees/done?term=1'
  const order = await bursar.demo.post(`${PAY}/orders`, sampleOrder({ callback_url }))
  const id = order.body.data.order_id
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })
  const back = await fetch(`${bursar.url}/pay/demo-school/${id}/return`, { redirect: 'manual' })
  const address = back.headers.get('location') ?? ''
  const { ctx } = bursar.app
  const key = await readCallbackKey(ctx, await getInstitute(ctx, 'demo-school'))
  assert.equal(await checkCallback(address, key), 'signed')
  assert.equal(await checkCallback(address.replace('paid', 'unpaid'), key), 'not signed')
  assert.equal(await checkCallback(address.replace(/&signature=.*/, ''), key), 'not signed')

  const [, example = ''] = /(https:\S+signature=[0-9a-f]{64})/.exec(integration) ?? []
  const [, shown = ''] = /With the key `([\w-]+)`/.exec(integration) ?? []
  assert.equal(await checkCallback(example, shown), 'signed')
})
