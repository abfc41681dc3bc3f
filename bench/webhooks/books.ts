import pg from 'pg'
import { readConfig } from '../../src/app/config.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { deliveryBody } from '../../src/webhooks/delivery-log/deliveries.rules.ts'
import type { Cluster } from '../rig.ts'

/** The size of a real one: an order of two lines and its payment. */
export const PAYLOAD = {
  order_id: 'order_01k9zq4m0ve8sbn6yt2hw3c5da',
  order: {
    id: 'order_01k9zq4m0ve8sbn6yt2hw3c5da',
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    identifier: 'ADM-1042',
    student_name: 'Kabir Rao',
    grade: '5',
    new_admission: false,
    transaction_id: 'SBX0123456789',
    paid_at: '2026-11-15T04:32:10.000Z',
    status: 'paid',
    details: [
      { component_type: 'TUITION_FEE', amount: 45000 },
      { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
    ],
    notes: [],
  },
  payment: {
    id: 'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
    amount: 51500.5,
    product: 'pay' as const,
    mode: 'upi',
    transaction_id: 'SBX0123456789',
    paid_at: '2026-11-15T04:32:10.000Z',
    details: [
      { component_type: 'TUITION_FEE', amount: 45000 },
      { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
    ],
  },
}

export const BODY = deliveryBody({
  eventId: 'evt_01k9zq4m0ve8sbn6yt2hw3c5da',
  eventCode: 'pay.payment.debited',
  timestamp: Math.floor(Date.now() / 1_000),
  sequence: 123_456,
  payloadJson: JSON.stringify(PAYLOAD),
})

export type Books = { url: string; env: NodeJS.ProcessEnv; client: pg.Client }

/** A database with signed subscriptions spread over the receiver's ports: as many as `webhooks`. */
export async function openBooks(
  cluster: Cluster,
  name: string,
  { ports, webhooks }: { ports: readonly number[]; webhooks: number },
): Promise<Books> {
  const url = await cluster.makeDatabase(name)
  const env = { DATABASE_URL: url, DATA_DIR: cluster.folder, LOG_LEVEL: 'info', DEMO: 'off' }
  const { ctx } = await openDatabase(readConfig(env))
  const ids = Array.from({ length: webhooks }, (_, n) => `wh_${String(n).padStart(3, '0')}`)
  const sealed = ids.map(id => ctx.vault.seal('a-long-random-text', `webhook secret of ${id}`))
  await ctx.db.close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into branches (institute_id, collector_code, name)
     select 1, 'B' || n, 'Branch ' || n from generate_series(0, $1 - 1) n`,
    [webhooks],
  )
  await client.query(
    `insert into webhook_subscriptions (institute_id, id, collector_code, event_code, url, failure_notification_email, secret_sealed)
     select 1, w.id, 'B' || (w.no - 1), 'pay.payment.debited', 'http://127.0.0.1:' || ($3::int[])[1 + w.no % $4] || '/hooks',
       'it@example.in', w.sealed
     from unnest($1::text[], $2::bytea[]) with ordinality as w (id, sealed, no)`,
    [ids, sealed, ports, ports.length],
  )
  return { url, env, client }
}

/** Deliveries that are due: as many to each subscription, of events that they share. */
export async function seedPending({ client }: Books, total: number, webhooks: number): Promise<void> {
  const events = Math.ceil(total / webhooks)
  await client.query(
    `insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload)
     select 1, 'evt_' || lpad(n::text, 26, '0'), 'pay.payment.debited', 'MAIN', 'order_' || n, now(), $2::json
     from generate_series(1, $1::int) n on conflict do nothing`,
    [events, JSON.stringify(PAYLOAD)],
  )
  await client.query(
    `with owed as (
       insert into webhook_deliveries (institute_id, id, webhook_id, event_id)
       select 1, 'dlv_' || lpad(row_number() over ()::text, 26, '0'), s.id, e.id
       from events e cross join webhook_subscriptions s where e.institute_id = 1 and s.institute_id = 1 limit $1
       returning institute_id, id, webhook_id, event_id
     )
     insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id) select * from owed`,
    [total],
  )
  await client.query('vacuum analyze')
}
