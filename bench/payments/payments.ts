import pg from 'pg'
import { compare, HEADERS, ORDER_BODY, type Figure, type CountedRound, type Round } from '../figures.ts'
import type { PayPlan, PayResult } from './load.ts'
import { openReceiver, runChild, type Rig, type Server } from '../rig.ts'
import type { Size } from '../size.ts'
import { SpentMeter } from '../spent.ts'

const PAYERS = 32

/** What a payment causes and a request does not wait for: its delivery, the payer's notices and their messages. */
const LEFT_TO_DO = `(select count(*) from webhook_queue) + (select count(*) from receipts where payer_notified_at is null)
  + (select count(*) from messages where state = 'queued' and next_try_at <= now())`

/**
 * Create, start, bank, signed callback, capture, ledger, receipt, events, webhook, mail with its PDF and request log, of
 * one transaction of the same rows.
 */
export async function measurePayments(rig: Rig, size: Size): Promise<Figure[]> {
  const receiver = await openReceiver('plain')
  try {
    await subscribe(rig.full, receiver.ports[0] ?? 0)
    await takePayments('api', rig.full, size.warmUpSeconds || size.seconds)
    await takePayments('bare', rig.bare, size.warmUpSeconds || size.seconds)
    await analyze([rig.full, rig.bare])
    const bare = (seconds: number): Promise<Round> => takePayments('bare', rig.bare, seconds)
    const taking = (kind: 'api' | 'page') => (seconds: number) => takePayments(kind, rig.full, seconds)
    const of = 'CPU of a bare handler awaiting the same INSERTs in one transaction, of ours'
    return [
      await compare(
        `A payment by API, its webhook and its mail: ${of}`,
        0.2,
        { bare, full: taking('api') },
        size,
      ),
      await compare(`A payment by the hosted page: ${of}`, 0.1, { bare, full: taking('page') }, size),
    ]
  } finally {
    await receiver.close()
  }
}

/** What autovacuum does within a minute: until then PostgreSQL takes tables that fill for empty, and reads all of them. */
async function analyze(servers: readonly Server[]): Promise<void> {
  for (const { databaseUrl } of servers) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query('analyze')
    await client.end()
  }
}

/** Whom the payers are, and where they ask if not straight at the server. */
export type Payers = { origin?: string; headers?: Record<string, string>; beginPerSecond?: number }

export async function takePayments(
  kind: PayPlan['kind'],
  server: Server,
  seconds: number,
  { origin = server.origin, headers = HEADERS, ...pace }: Payers = {},
): Promise<CountedRound> {
  const meter = await SpentMeter.open(server)
  const plan: PayPlan = { origin, kind, headers, body: ORDER_BODY, seconds, payers: PAYERS, ...pace }
  let result: PayResult | undefined
  let drainMs = 0
  const { each, count } = await meter.measure(async () => {
    result = (await runChild('payments/load.ts', plan)) as PayResult
    if (result.failures.length > 0) throw new Error(`a payment at ${origin} failed: ${result.failures[0]}`)
    const loadedAt = performance.now()
    if (kind !== 'bare') await meter.untilNone(LEFT_TO_DO)
    drainMs = performance.now() - loadedAt
    return result.count
  })
  await meter.close()
  const { perSecond = 0, p99Ms = 0 } = result ?? {}
  const note = `99 of 100 within ${Math.round(p99Ms)} ms with ${PAYERS} payers, and all they caused ${(drainMs / 1_000).toFixed(1)} s later`
  return { each, count, perSecond, note }
}

export async function subscribe({ origin }: Server, port: number, headers = HEADERS): Promise<void> {
  const answer = await fetch(`${origin}/api/v1/integrations/erp/webhooks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      event_code: 'order.payment.debited',
      url: `http://127.0.0.1:${port}/`,
      failure_notification_email: 'dev@example.in',
    }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}
