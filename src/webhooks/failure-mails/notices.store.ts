import { isHere, nameRows, type RowKey } from '../../platform/db/query.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { NoticeKind } from '../delivery-log/deliveries.rules.ts'
import type { DueMail } from './failure-mail.rules.ts'

/** Something a failure mail has to tell. */
export type Notice = {
  instituteId: number
  webhookId: string
  kind: NoticeKind
  times: number
  /** The last delivery it was seen on. */
  deliveryId: string
}

/** Notices of one kind add up until they are told. A recovery takes back nothing: the mail tells both. */
export async function addNotices(tx: Transaction, notices: readonly Notice[]): Promise<void> {
  await tx.query(
    `insert into webhook_notices as known (institute_id, webhook_id, kind, times, delivery_id)
     select * from unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::text[])
     on conflict (institute_id, webhook_id, kind)
       do update set times = known.times + excluded.times, delivery_id = excluded.delivery_id`,
    [
      notices.map(({ instituteId }) => instituteId),
      notices.map(({ webhookId }) => webhookId),
      notices.map(({ kind }) => kind),
      notices.map(({ times }) => times),
      notices.map(({ deliveryId }) => deliveryId),
    ],
  )
}

/** Milliseconds of real time until the oldest notice is to be mailed; below 0 when it is late. */
export async function msUntilNextMail(db: Database): Promise<number | null> {
  const [row] = await db.query<{ ms: number | null }>(
    `select 1000 * extract(epoch from min(greatest(n.first_at, s.mailed_at + interval '1 hour')) - now())::float8 as ms
     from webhook_notices n join webhook_subscriptions s on s.institute_id = n.institute_id and s.id = n.webhook_id
     where ${isHere('n.institute_id')}`,
  )
  return row?.ms ?? null
}

const TO_MAIL = `exists (select 1 from webhook_notices n
    where n.institute_id = s.institute_id and n.webhook_id = s.id)
  and (s.mailed_at is null or s.mailed_at <= now() - interval '1 hour')`

/** Subscriptions that have something to be told and were not written about within the last hour, real time. */
export async function findDueMails(db: Database, limit: number): Promise<RowKey[]> {
  return await db.query<RowKey>(
    `select s.institute_id as "instituteId", s.id from webhook_subscriptions s
     where ${TO_MAIL} and ${isHere('s.institute_id')} limit $1`,
    [limit],
  )
}

/** Takes their notices. */
export async function takeDueMails(tx: Transaction, keys: readonly RowKey[]): Promise<DueMail[]> {
  const these = nameRows(keys, 1)
  return tx.query<DueMail>(
    `with due as (
       select s.institute_id, s.id from webhook_subscriptions s
       where ${these.match('s')} and ${TO_MAIL} for no key update of s skip locked
     ), told as (
       delete from webhook_notices n using due d
       where n.institute_id = ${these.institute('d')} and n.webhook_id = d.id returning n.*
     ), mailed as (
       update webhook_subscriptions s set mailed_at = now() from due d
       where s.institute_id = ${these.institute('d')} and s.id = d.id returning s.*
     )
     select s.institute_id as "instituteId", i.code as "instituteCode", i.name as "instituteName", s.id as "webhookId",
       s.event_code as "eventCode", s.url, s.failure_notification_email as "failureEmails",
       s.failures_in_row as "failuresInRow", s.disabled_because as "disabledBecause",
       (select json_agg(json_build_object('kind', t.kind, 'times', t.times, 'deliveryId', t.delivery_id, 'firstAt', t.first_at)
          order by t.first_at) from told t where t.institute_id = s.institute_id and t.webhook_id = s.id) as notices
     from mailed s join institutes i on i.id = s.institute_id`,
    these.values,
  )
}
