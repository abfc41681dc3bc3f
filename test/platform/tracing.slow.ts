import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { Client, DEMO } from '../harness/client.ts'
import { startReceiver, type Receiver } from '../harness/receiver.ts'
import { ERP, PAY, sampleOrder, sampleWebhook } from '../harness/samples.ts'
import { openStandalone } from '../harness/processes/standalone.ts'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Attribute[]
}

/** What a collector of OTLP was sent. */
function spansOf(collector: Receiver): Span[] {
  return collector.requests.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: Span[] }[] }) =>
      resource.scopeSpans.flatMap(scope => scope.spans),
    ),
  )
}

/** From a span up to the one that everything began with. */
function pathOf(span: Span, spans: readonly Span[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent === undefined ? [span.name] : [...pathOf(parent, spans), span.name]
}

test('a trace leads from the request over its event to the delivery, names nobody, and outlives a collector that fails', async t => {
  const collector = await startReceiver(t)
  const erp = await startReceiver(t)
  collector.answer((_request, n) => ({ status: n === 1 ? 400 : 200, body: '{}' }))
  const { url, logText, stop } = await openStandalone(t, {
    DATABASE_URL: await cloneDatabase(t),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=collector%20key',
    OTEL_SERVICE_NAME: 'bursar-here',
  })
  const demo = new Client(url, DEMO)
  // The first batch is refused: nobody but the log notices.
  await demo.get(`${ERP}/branches`)
  await collector.waitForRequests(1)
  const hook = sampleWebhook({ url: erp.url, event_code: 'order.payment.debited' })
  assert.equal((await demo.post(`${ERP}/webhooks`, hook)).status, 201)
  const order = sampleOrder()
  const { order_id: id } = (await demo.post(`${PAY}/orders`, order)).body.data
  assert.equal((await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })).status, 200)
  await erp.waitForRequests(1)
  // What is left is sent at the end.
  await stop()

  assert.equal(collector.requests.at(-1)?.headers['x-api-key'], 'collector key')
  assert.equal(collector.requests[0]?.path, '/v1/traces')
  assert.match(collector.requests.at(-1)?.body ?? '', /bursar-here/)
  const spans = spansOf(collector)
  const delivery = spans.find(({ name }) => name === 'webhook delivery')
  assert.ok(delivery !== undefined)
  const [first, ...rest] = pathOf(delivery, spans)
  assert.equal(first, 'POST /api/v1/sandbox/pay/orders/:order_id/pay')
  assert.deepEqual(rest, ['transaction', 'webhook delivery'])
  const text = JSON.stringify(spans)
  for (const secret of [order.phone, order.email, order.name, id, DEMO.secret, 'collector key'])
    assert.ok(!text.includes(String(secret)), `${secret} stands in a span`)
  assert.match(logText(), /spans were not taken by the collector/)
})
