import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_CODES, type EventCode } from '../../src/events/define-event.ts'
import { newId } from '../../src/platform/ids.ts'
import { exampleEvent } from '../../src/sandbox/trigger/example-event.ts'
import { signatureHeaders, signingKey } from '../../src/webhooks/engine/send.ts'
import type { Json } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'

const SECRET = 'a-secret-of-the-receiver'

type Owner = { after(done: () => Promise<void> | void): void }
export type Receiver = { url: string; secret: string; bookingsOf: (paymentId: string) => Promise<Json[]> }

/** A receiver in a process of its own; `command` is given the port that it takes. */
export async function startReceiver(
  owner: Owner,
  command: (port: number) => readonly string[],
  env: Record<string, string> = {},
): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'))
  const port = 20_000 + (process.pid % 20_000) + Math.floor(Math.random() * 1_000)
  const [program = '', ...args] = command(port)
  const child = spawn(program, args, {
    env: { ...process.env, SECRET_KEY: SECRET, PORT: String(port), BOOKS: join(folder, 'books'), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  owner.after(() => {
    child.kill()
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  const bookingsOf = async (id: string): Promise<Json[]> =>
    (await readJson(`${url}/?payment_id=${id}`)).data.bookings
  await waitFor(async () => (await bookingsOf('none')).length === 0, `${program} to listen`)
  return { url, secret: SECRET, bookingsOf }
}

export async function readJson(url: string, headers: Record<string, string> = {}): Promise<Json> {
  return (await fetch(url, { headers })).json()
}

type Event = { id: string; body: Buffer; payload: Json }

function eventOf(code: EventCode, change: (payload: Json) => void = () => undefined): Event {
  const payload = exampleEvent(code, { now: new Date(), collectorCode: 'MAIN' }) as Json
  change(payload)
  const id = newId('evt')
  const whole = { event_id: id, event: code, timestamp: 1_790_000_000, version: '1.0', sequence: 1, payload }
  return { id, body: Buffer.from(JSON.stringify(whole)), payload }
}

/** Every kind of delivery that a receiver gets, and what it has to make of it. */
export async function assertReceives({ url, secret, bookingsOf }: Receiver): Promise<void> {
  const post = async ({ id, body }: Event, { key = secret, at = new Date(), sent = body } = {}) => {
    const signatures = signatureHeaders({ eventId: id, body, at, keys: [signingKey(key)] })
    const headers = { 'content-type': 'application/json', ...signatures }
    return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body: new Uint8Array(sent) })).status
  }
  for (const code of EVENT_CODES) assert.equal(await post(eventOf(code)), 200, code)

  const paid = eventOf('pay.payment.debited', payload => (payload.payment.amount = 1234567.89))
  const { id } = paid.payload.payment
  assert.equal(await post(paid, { key: 'a-secret-of-somebody-else' }), 401)
  assert.equal(
    await post(paid, { sent: Buffer.from(paid.body.toString().replace('1234567.89', '1.00')) }),
    401,
  )
  assert.equal(await post(paid, { at: new Date(Date.now() - 600_000) }), 401)
  assert.equal((await fetch(`${url}/webhooks`, { method: 'POST', body: '{}' })).status, 401)
  assert.deepEqual(await bookingsOf(id), [])

  assert.deepEqual(await Promise.all([post(paid), post(paid), post(paid)]), [200, 200, 200])
  const settled = eventOf('pay.payment.settled', payload => (payload.payment = paid.payload.payment))
  assert.equal(await post(settled), 200)
  assert.deepEqual(await bookingsOf(id), [{ type: 'payment', id, amount: '1234567.89' }])

  // A refund that arrives before its payment.
  const later = eventOf('pay.payment.debited')
  const refund = eventOf('refund.processed', payload => (payload.payment = later.payload.payment))
  assert.deepEqual([await post(refund), await post(later), await post(refund)], [200, 200, 200])
  const types = (await bookingsOf(later.payload.payment.id)).map(({ type }) => type)
  assert.deepEqual(new Set(types), new Set(['payment', 'refund']))
  assert.equal(types.length, 2)

  // A debit that the bank takes back does not count, in whichever order the two arrive.
  for (const isReturnFirst of [false, true]) {
    const debited = eventOf('flex.instalment.debited')
    const bounced = eventOf(
      'flex.instalment.bounced',
      payload => (payload.instalment = debited.payload.instalment),
    )
    for (const event of isReturnFirst ? [bounced, debited] : [debited, bounced])
      assert.equal(await post(event), 200)
    assert.deepEqual(await bookingsOf(debited.payload.payment.id), [])
  }
}
