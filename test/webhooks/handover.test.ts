import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { subscribe as watchChannel } from 'node:diagnostics_channel'
import { recordEvents } from '../../src/events/events.service.ts'
import type { Transaction } from '../../src/platform/db/database.ts'
import { STATEMENTS } from '../../src/platform/db/client.ts'
import { startBursar } from '../harness/bursar.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'

const WEBHOOKS = '/api/v1/integrations/erp/webhooks'
const bursar = await startBursar({ after })
const receiver = await startReceiver({ after })
const { ctx, deliveries } = bursar.app
const claims: string[] = []
watchChannel(STATEMENTS, text => {
  if (/for update skip locked/.test(String(text)) && /webhook_queue/.test(String(text)))
    claims.push(String(text))
})
let webhookId = ''

before(async () => {
  const { body } = await bursar.demo.post(WEBHOOKS, {
    event_code: 'pay.payment.debited',
    url: receiver.url,
    failure_notification_email: 'it@example.in',
  })
  webhookId = body.data.id ?? body.data.webhook_id
  deliveries.start()
})

async function record(tx: Transaction): Promise<string> {
  const [institute] = await tx.query<{ id: number }>(`select id from institutes where code = 'demo-school'`)
  const [id = ''] = await recordEvents(tx, [
    {
      code: 'pay.payment.debited',
      instituteId: institute?.id ?? 0,
      collectorCode: 'MAIN',
      resourceId: 'order_1',
      occurredAt: new Date(),
      payload: { order_id: 'order_1' },
    },
  ])
  return id
}

async function stateOf(eventId: string): Promise<string | undefined> {
  const [row] = await bursar.sql<{ state: string }>(
    'select state from webhook_deliveries where event_id = $1',
    [eventId],
  )
  return row?.state
}

const hasCome = (eventId: string): boolean =>
  receiver.requests.some(({ headers }) => headers['webhook-id'] === eventId)

test('a delivery leaves as soon as its event is committed, without anybody looking for it', async () => {
  // The engine looks once a second by itself, so one of several times falls between two looks.
  const counts: number[] = []
  while (counts.length < 5 && !counts.includes(0)) {
    const before = claims.length
    const id = await ctx.db.transaction(record)
    await waitFor(async () => hasCome(id), 'the event to come')
    await waitFor(async () => (await stateOf(id)) === 'delivered', 'it to be on record')
    counts.push(claims.length - before)
  }
  assert.ok(counts.includes(0), `claims of each time: ${counts.join(', ')}`)
  const bodies = receiver.requests.map(
    ({ body }) => JSON.parse(body) as { event_id: string; sequence: number },
  )
  const found = await bursar.sql<{ id: string; sequence: number }>('select id, sequence from events')
  for (const { event_id: id, sequence } of bodies)
    assert.equal(Number(found.find(event => event.id === id)?.sequence), sequence)
})

test('an event that is rolled back is not delivered', async () => {
  let id = ''
  const failing = ctx.db.transaction(async tx => {
    id = await record(tx)
    throw new Error('it did not happen')
  })
  await assert.rejects(failing)
  const next = await ctx.db.transaction(record)
  await waitFor(async () => hasCome(next), 'the next event')
  assert.equal(hasCome(id), false)
})

test('a subscription that is disabled before the commit gets nothing', async () => {
  const id = await ctx.db.transaction(async tx => {
    const recorded = await record(tx)
    const { status } = await bursar.demo.delete(`${WEBHOOKS}/${webhookId}`)
    assert.equal(status, 200)
    return recorded
  })
  await waitFor(async () => (await stateOf(id)) === 'cancelled', 'it to be cancelled')
  assert.equal(hasCome(id), false)
})
