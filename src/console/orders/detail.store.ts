import type { Order } from '../../orders/orders.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'

/** What only the console shows of one order, each part by one statement along an index. */
export type OrderOrigin = { pageTitle: string | null; file: LinkFileRow | null }

/** The file of links that it was made of. */
export type LinkFileRow = { batchId: string; name: string; row: number }

export async function readOrigin(
  db: Queryable,
  instituteId: number,
  { id, pageId }: Pick<Order, 'id' | 'pageId'>,
): Promise<OrderOrigin> {
  const [row] = await db.query<OrderOrigin>(
    `select (select title from payment_pages where institute_id = $1 and id = $3) as "pageTitle",
       (select json_build_object('batchId', b.import_id, 'row', b.row_no, 'name', coalesce(f.file_name, ''))
        from import_links b join imports f on f.institute_id = b.institute_id and f.id = b.import_id
        where b.institute_id = $1 and b.order_id = $2 and not b.is_repeated) as file`,
    [instituteId, id, pageId],
  )
  return row ?? { pageTitle: null, file: null }
}

/** An order of another child that was opened to be paid in the same sum. */
export type PaidTogether = { id: string; studentName: string | null; amountPaise: Paise }

export async function readPaidTogether(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<PaidTogether[]> {
  return db.query<PaidTogether>(
    `select o.id, o.student_name as "studentName",
       (select sum(l.amount_paise)::bigint from order_lines l where l.institute_id = $1 and l.order_id = o.id) as "amountPaise"
     from dues_orders own
     join dues_orders other on other.institute_id = own.institute_id and other.group_id = own.group_id
       and other.order_id <> own.order_id
     join orders o on o.institute_id = other.institute_id and o.id = other.order_id
     where own.institute_id = $1 and own.order_id = $2 order by o.id limit 20`,
    [instituteId, orderId],
  )
}

export type EventRecord = { id: string; code: string; occurredAt: Date; payload: unknown }

/** What was recorded of the order itself, and of its payments under the student that they are for. */
export async function readEvents(
  db: Queryable,
  instituteId: number,
  { id, studentId }: Pick<Order, 'id' | 'studentId'>,
): Promise<EventRecord[]> {
  return db.query<EventRecord>(
    `select id, event_code as code, occurred_at as "occurredAt", payload from (
       select * from events where institute_id = $1 and resource_id = $2
       union all
       select e.* from events e where e.institute_id = $1 and e.resource_id = $3 and e.payload -> 'payment' ->> 'id'
         in (select p.id from payments p where p.institute_id = $1 and p.order_id = $2)
     ) e order by sequence limit 200`,
    [instituteId, id, studentId],
  )
}

export type MessageRecord = {
  id: string
  channel: string
  recipient: string
  state: 'queued' | 'sent' | 'failed'
  createdAt: Date
  sentAt: Date | null
  failure: string | null
}

export async function readMessages(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<MessageRecord[]> {
  return db.query<MessageRecord>(
    `select id, channel, recipient, state, created_at as "createdAt", sent_at as "sentAt", failure from messages
     where institute_id = $1 and about = $2 order by id limit 200`,
    [instituteId, orderId],
  )
}
