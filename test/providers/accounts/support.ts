import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { startRazorpay, type RazorpayEmulator } from '../../../emulators/razorpay/emulator.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Client, Json } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { demoVisitor, type Visitor } from '../../console/support.ts'

/** Three merchants at one Razorpay, told apart by their keys as at the real one. */
export const keysOf = (name: string) => ({
  keyId: `rzp_test_Merchant${name}0001`,
  keySecret: `secret-of-merchant-${name}`,
  webhookSecret: `webhook-secret-of-${name}`,
})
export type Merchant = RazorpayEmulator
const merchants = new Map<string, Merchant>()

export async function startMerchant(name: string): Promise<Merchant> {
  const keys = keysOf(name)
  const merchant = await startRazorpay({ keys, now: () => app.ctx.clock.now() })
  after(() => merchant.close())
  merchants.set(keys.keyId, merchant)
  return merchant
}

/** As when the owner deactivates it in the dashboard. */
export function revokeKey(name: string): void {
  merchants.delete(keysOf(name).keyId)
}

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const [keyId = ''] = Buffer.from(basic, 'base64').toString().split(':')
  const merchant = merchants.get(keyId)
  if (merchant === undefined) {
    response.writeHead(401).end('{}')
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers
  const answer = await fetch(merchant.url + request.url, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(request.method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
  }).catch(() => null)
  if (answer === null) response.destroy()
  else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

const razorpay = createServer((request, response) => void forward(request, response))
razorpay.listen(0, '127.0.0.1')
await once(razorpay, 'listening')
after(() => void razorpay.close())
const { port } = razorpay.address() as AddressInfo

export const bursar = await startBursar({ after }, { RAZORPAY_API_URL: `http://127.0.0.1:${port}` })
export const { app, url } = bursar
export const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
export const groupOwner = await demoVisitor(url, 'bursar@demo-group.example')
export const schoolOwner = await demoVisitor(url)

export const pathOf = (institute: string): string => `/console/api/institutes/${institute}/provider-accounts`
export const GROUP = pathOf('demo-group')
export const SCHOOL = pathOf('demo-school')

export const settingsOf = (keys: ReturnType<typeof keysOf>) => [
  { field: 'key_id', value: keys.keyId },
  { field: 'key_secret', value: keys.keySecret },
  { field: 'webhook_secret', value: keys.webhookSecret },
]

export function wanted(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    provider: 'razorpay',
    title: `Account ${name}`,
    methods: ['upi', 'card', 'netbanking'],
    rails: [],
    settings: settingsOf(keysOf(name)),
    ...changes,
  }
}

export async function add(owner: Visitor, path: string, body: unknown): Promise<string> {
  const { status, text, body: answer } = await owner.post(path, body)
  assert.equal(status, 201, text)
  return answer.data.id
}

/** A payer at the checkout of a new order; answers the payment's row. */
export async function start(client: Client, institute: string, collectorCode?: string): Promise<Json> {
  const { body } = await client.post(`${PAY}/orders`, sampleOrder({ collector_code: collectorCode }))
  const orderId = body.data.order_id
  const response = await fetch(`${url}/pay/${institute}/${orderId}/start`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url },
    body: 'mode=upi',
  })
  const [payment] = await sql<Json>('select * from payments where order_id = $1', [orderId])
  return payment ?? { order_id: orderId, status: response.status, page: await response.text() }
}

export async function deliver(
  path: string,
  { rawBody, headers }: { rawBody: Buffer; headers: Record<string, string> },
): Promise<number> {
  const response = await fetch(`${url}/callbacks/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: rawBody as Uint8Array<ArrayBuffer>,
  })
  await response.text()
  return response.status
}

/** What Razorpay posts when a link is paid. */
export function paid(merchant: Merchant, linkId: string, changes: { amount?: number; fee?: number } = {}) {
  const payment = merchant.pay(linkId, changes)
  return merchant.event('payment_link.paid', { payment_link: merchant.links.get(linkId), payment })
}

export const stateOf = async (paymentId: string): Promise<string> =>
  (await sql<{ state: string }>('select state from payments where id = $1', [paymentId]))[0]?.state ?? 'none'
