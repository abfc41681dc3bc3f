import type { TestContext } from 'node:test'
import type { EventCode } from '../../src/events/define-event.ts'
import { recordEvents } from '../../src/events/events.service.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import type { Client, Json } from '../harness/client.ts'
import { startReceiver, type Receiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'

export const HOOKS = '/api/v1/integrations/erp/webhooks'
export const DELIVERIES = '/api/v1/integrations/erp/deliveries'
export const EVENTS = '/api/v1/integrations/erp/events'
export const SECRET = 'a-secret-of-the-school'
/** What stands for it on the wire of the libraries. */
export const STANDARD_SECRET = `whsec_${Buffer.from(SECRET).toString('base64')}`

type Owner = { after(done: () => Promise<void> | void): void }

/** A Bursar that works, with retries so short that a test can wait for them. */
export async function startDelivering(
  owner: TestContext | Owner,
  env: Record<string, string> = {},
): Promise<TestBursar> {
  return startBursar(owner, {
    BURSAR_ROLE: 'all',
    WEBHOOK_RETRY_SECONDS: '0.02,0.02,0.02,0.02',
    ...env,
  })
}

export async function subscribe(
  client: Client,
  url: string,
  extras: Record<string, unknown> = {},
): Promise<string> {
  const { status, body, text } = await client.post(HOOKS, {
    event_code: 'pay.payment.debited',
    url,
    failure_notification_email: 'it@school.example.in',
    secret_key: SECRET,
    ...extras,
  })
  if (status !== 201) throw new Error(`not subscribed: ${text}`)
  return body.data.id
}

/** Ends with the test, so that the next one's events go to its own receiver alone. */
export async function subscribeFor(
  owner: Owner,
  client: Client,
  url: string,
  extras: Record<string, unknown> = {},
): Promise<string> {
  const id = await subscribe(client, url, extras)
  owner.after(async () => void (await client.delete(`${HOOKS}/${id}`)))
  return id
}

/** Makes an event happen; answers its id. */
export async function trigger(client: Client, eventCode = 'pay.payment.debited'): Promise<string> {
  const { status, body, text } = await client.post('/api/v1/sandbox/events/trigger', {
    event_code: eventCode,
  })
  if (status !== 201) throw new Error(`not triggered: ${text}`)
  return body.data.event_id
}

export async function listDeliveries(client: Client, query = ''): Promise<Json[]> {
  return (await client.get(`${DELIVERIES}${query}`)).body.data
}

/** Many events at once, in one transaction, straight into the journal; answers their ids. */
export async function recordMany(
  { app: { ctx }, sql }: Pick<TestBursar, 'app' | 'sql'>,
  { collectorCode = 'MAIN', eventCode = 'pay.payment.debited' as EventCode, count = 1 },
): Promise<string[]> {
  const [branch] = await sql<{ id: number }>(
    'select institute_id as id from branches where collector_code = $1',
    [collectorCode],
  )
  if (branch === undefined) throw new Error(`no branch ${collectorCode}`)
  const events = Array.from({ length: count }, (_, n) => ({
    code: eventCode,
    instituteId: branch.id,
    collectorCode,
    resourceId: `made_up_${n}`,
    occurredAt: ctx.clock.now(),
    payload: { webhook_id: 'wh_none', message: `Event ${n}.` },
  }))
  return ctx.db.transaction(tx => recordEvents(tx, events))
}

/** The one delivery of an event, once it is in that state. */
export async function deliveryIn(client: Client, eventId: string, status: string): Promise<Json> {
  let found: Json
  await waitFor(async () => {
    ;[found] = await listDeliveries(client, `?event_id=${eventId}`)
    return found?.status === status
  }, `${eventId} to be ${status}`)
  return found
}

export { startReceiver, type Receiver }
