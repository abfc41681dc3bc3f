import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Razorpay as its documentation describes it, with books of its own. What the documentation leaves out is as others
 * met it on the real one: the sentence about a `reference_id` that is taken, with no code that would tell it apart.
 */
export type Fields = Record<string, unknown>
export type Seen = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Fields
}
export type Fault = (response: ServerResponse) => void

export type FakeRazorpay = {
  url: string
  seen: Seen[]
  links: Map<string, Fields>
  payments: Map<string, Fields>
  refunds: Fields[]
  recon: Fields[]
  /** Spoils the next answer to a request whose method and path begin so; the request is still carried out. */
  spoil(start: string, fault: Fault): void
  /** The payer's visit to a link. */
  pay(linkId: string, changes?: Fields): Fields
  event(name: string, entities: Fields): { rawBody: Buffer; headers: Record<string, string> }
  close(): Promise<void>
}

export const KEYS = {
  keyId: 'rzp_test_Key0000000001',
  keySecret: 'kS-very-secret-1',
  webhookSecret: 'wS-very-secret-2',
}
const NOW = 1_794_700_800

type Answer = { status: number; body: unknown }

export async function startFakeRazorpay(): Promise<FakeRazorpay> {
  const faults: { start: string; fault: Fault }[] = []
  const books = { seen: [] as Seen[], links: new Map<string, Fields>(), payments: new Map<string, Fields>() }
  const state = {
    ...books,
    refunds: [] as Fields[],
    keys: new Map<string, { body: string; refund: Fields }>(),
    recon: [] as Fields[],
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', 'http://fake')
    const seen = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      body: await readBody(request),
    }
    state.seen.push(seen)
    const answer = carryOut(state, seen)
    const index = faults.findIndex(({ start }) => `${method} ${seen.path}`.startsWith(start))
    const [planned] = index < 0 ? [] : faults.splice(index, 1)
    if (planned !== undefined) return planned.fault(response)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: state.seen,
    links: state.links,
    payments: state.payments,
    refunds: state.refunds,
    recon: state.recon,
    spoil: (start, fault) => void faults.push({ start, fault }),
    pay: (linkId, changes = {}) => payLink(state, linkId, changes),
    event: signedEvent,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

type State = {
  links: Map<string, Fields>
  payments: Map<string, Fields>
  refunds: Fields[]
  keys: Map<string, { body: string; refund: Fields }>
  recon: Fields[]
}

function carryOut(state: State, seen: Seen): Answer {
  const expected = `Basic ${Buffer.from(`${KEYS.keyId}:${KEYS.keySecret}`).toString('base64')}`
  if (seen.headers.authorization !== expected) return refuse('Authentication failed', 401)
  const route = `${seen.method} ${seen.path}`
  const [, , , id = ''] = seen.path.split('/')
  if (route === 'POST /v1/payment_links') return createLink(state, seen.body)
  if (route === 'GET /v1/payment_links') {
    const wanted = seen.query.get('reference_id')
    const all = [...state.links.values()].filter(link => wanted === null || link['reference_id'] === wanted)
    // As documented, lists leave the payments out.
    return { status: 200, body: { payment_links: all.map(link => ({ ...link, payments: [] })) } }
  }
  if (route.startsWith('GET /v1/payment_links/')) return found(state.links.get(id))
  if (/^POST \/v1\/payments\/[^/]+\/refund$/.test(route)) return createRefund(state, id, seen)
  if (/^GET \/v1\/payments\/[^/]+\/refunds$/.test(route)) {
    return page(state.refunds.filter(refund => refund['payment_id'] === id).toReversed(), seen.query, 10)
  }
  if (route.startsWith('GET /v1/payments/')) return found(state.payments.get(id))
  if (route === 'GET /v1/settlements/recon/combined') return page(state.recon, seen.query, 10)
  return refuse('The requested URL was not found on the server.')
}

function createLink(state: State, body: Fields): Answer {
  const reference = String(body['reference_id'])
  if ([...state.links.values()].some(link => link['reference_id'] === reference)) {
    return refuse(
      `payment link with given reference_id: ${reference} already exists. Please create a payment link with a different reference_id`,
    )
  }
  const id = `plink_${shortId()}`
  const link = {
    ...body,
    id,
    status: 'created',
    amount_paid: 0,
    payments: null,
    created_at: NOW,
    short_url: `https://rzp.io/i/${id}`,
  }
  state.links.set(id, link)
  return { status: 200, body: link }
}

function createRefund(state: State, paymentId: string, seen: Seen): Answer {
  const key = String(seen.headers['x-refund-idempotency'] ?? '')
  const text = JSON.stringify(seen.body)
  const known = state.keys.get(key)
  if (known !== undefined) {
    return known.body === text
      ? { status: 200, body: known.refund }
      : refuse('Different request with the same idempotency key has already been processed.', 409)
  }
  const payment = state.payments.get(paymentId)
  if (payment === undefined) return refuse('The id provided does not exist')
  const before = state.refunds.filter(refund => refund['payment_id'] === paymentId)
  const sum = before.reduce((total, refund) => total + Number(refund['amount']), 0)
  if (sum + Number(seen.body['amount']) > Number(payment['amount'])) {
    return refuse('The refund amount provided is greater than amount captured.')
  }
  const refund = {
    id: `rfnd_${shortId()}`,
    entity: 'refund',
    currency: 'INR',
    ...seen.body,
    payment_id: paymentId,
    acquirer_data: { arn: null },
    created_at: NOW + 100,
    status: 'pending',
  }
  state.refunds.push(refund)
  if (key !== '') state.keys.set(key, { body: text, refund })
  return { status: 200, body: refund }
}

function payLink(state: State, linkId: string, changes: Fields): Fields {
  const link = state.links.get(linkId)
  if (link === undefined) throw new Error(`no link ${linkId}`)
  const payment: Fields = {
    id: `pay_${shortId()}`,
    entity: 'payment',
    amount: link['amount'],
    currency: 'INR',
    status: 'captured',
    method: 'upi',
    notes: [],
    acquirer_data: { rrn: '322206890934', upi_transaction_id: 'F0A1' },
    error_code: null,
    error_description: null,
    error_reason: null,
    created_at: NOW + 60,
    ...changes,
  }
  state.payments.set(String(payment['id']), payment)
  if (payment['status'] !== 'captured') return payment
  const entry = {
    payment_id: payment['id'],
    amount: payment['amount'],
    method: payment['method'],
    status: 'captured',
  }
  Object.assign(link, { status: 'paid', amount_paid: link['amount'], payments: [entry] })
  return payment
}

function signedEvent(name: string, entities: Fields): { rawBody: Buffer; headers: Record<string, string> } {
  const payload = Object.fromEntries(Object.entries(entities).map(([kind, entity]) => [kind, { entity }]))
  const event = {
    entity: 'event',
    account_id: 'acc_1',
    event: name,
    contains: Object.keys(entities),
    payload,
    created_at: NOW + 200,
  }
  const rawBody = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha256', KEYS.webhookSecret).update(rawBody).digest('hex')
  return { rawBody, headers: { 'x-razorpay-signature': signature, 'x-razorpay-event-id': randomUUID() } }
}

function page(items: Fields[], query: URLSearchParams, standard: number): Answer {
  const skip = Number(query.get('skip') ?? 0)
  const slice = items.slice(skip, skip + Number(query.get('count') ?? standard))
  return { status: 200, body: { entity: 'collection', count: slice.length, items: slice } }
}

function found(entity: Fields | undefined): Answer {
  return entity === undefined ? refuse('The id provided does not exist') : { status: 200, body: entity }
}

function refuse(description: string, status = 400): Answer {
  const error = {
    code: 'BAD_REQUEST_ERROR',
    description,
    source: null,
    step: null,
    reason: null,
    field: null,
  }
  return { status, body: { error } }
}

function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 14)
}

async function readBody(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as Fields)
}
