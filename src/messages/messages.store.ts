import type { Queryable, Transaction } from '../platform/db.ts'
import type { Channel, Message, NewMessage } from './messages.rules.ts'

const COLUMNS = `institute_id as "instituteId", id, channel, recipient, subject, body, about, state,
  created_at as "createdAt", sent_at as "sentAt", failure, tries, next_try_at as "nextTryAt", is_reminder as "isReminder", template`

export async function insertMessages(
  tx: Transaction,
  messages: readonly (NewMessage & { id: string })[],
): Promise<void> {
  await tx.query(
    `insert into messages (institute_id, id, channel, recipient, subject, body, about, created_at, next_try_at, is_reminder,
       template, concerns)
     select m.institute_id, m.id, m.channel, m.recipient, m.subject, m.body, m.about, m.at, m.at, m.is_reminder, m.template, string_to_array(m.concerns, ',')
     from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::bool[],
         $10::text[], $11::text[])
       as m (institute_id, id, channel, recipient, subject, body, about, at, is_reminder, template, concerns)`,
    [
      messages.map(message => message.instituteId),
      messages.map(message => message.id),
      messages.map(message => message.channel),
      messages.map(message => message.recipient),
      messages.map(message => message.subject ?? null),
      messages.map(message => message.body),
      messages.map(message => message.about),
      messages.map(message => message.at),
      messages.map(message => message.isReminder ?? false),
      messages.map(message => message.template ?? null),
      messages.map(message => (message.concerns ?? []).join()),
    ],
  )
}

/** Takes messages that are due; nobody else takes them before the hold runs out. */
export async function claimToSend(
  db: Queryable,
  now: Date,
  { limit, holdMs }: { limit: number; holdMs: number },
): Promise<Message[]> {
  return db.query<Message>(
    `update messages set tries = tries + 1, held_until = clock_timestamp() + $3 * interval '1 millisecond'
     where (institute_id, id) in (
       select institute_id, id from messages
       where next_try_at <= $1 and (held_until is null or held_until < clock_timestamp())
       order by next_try_at, id limit $2 for update skip locked)
     returning ${COLUMNS}`,
    [now, limit, holdMs],
  )
}

/** The count of tries names the holder: whoever let the hold run out changes nothing any more. */
export async function finishTry(
  db: Queryable,
  message: Message,
  end: Pick<Message, 'state' | 'sentAt' | 'failure' | 'nextTryAt'>,
): Promise<void> {
  await db.query(
    `update messages set state = $4, sent_at = $5, failure = $6, next_try_at = $7, held_until = null
     where institute_id = $1 and id = $2 and tries = $3 and state = 'queued'`,
    [message.instituteId, message.id, message.tries, end.state, end.sentAt, end.failure, end.nextTryAt],
  )
}

/** It was not tried after all. */
export async function putOff(db: Queryable, message: Message, until: Date): Promise<void> {
  await db.query(
    `update messages set next_try_at = $4, tries = tries - 1, held_until = null
     where institute_id = $1 and id = $2 and tries = $3 and state = 'queued'`,
    [message.instituteId, message.id, message.tries, until],
  )
}

export async function postponeDue(
  db: Queryable,
  channel: Channel,
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  await db.query(
    `update messages set next_try_at = $3
     where channel = $1 and next_try_at <= $2 and (held_until is null or held_until < clock_timestamp())`,
    [channel, now, until],
  )
}

/** Due now, with all its tries before it; null when there is none that failed. */
export async function sendAgain(
  tx: Transaction,
  { instituteId, id }: { instituteId: number; id: string },
  now: Date,
): Promise<Message | null> {
  const [row] = await tx.query<Message>(
    `update messages set state = 'queued', tries = 0, next_try_at = $3
     where institute_id = $1 and id = $2 and state = 'failed' returning ${COLUMNS}`,
    [instituteId, id, now],
  )
  return row ?? null
}

export async function nextTryDue(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    'select min(next_try_at) as at from messages where next_try_at is not null',
  )
  return row?.at ?? null
}

/** The next that waits for a moment that is still to come. */
export async function nextWaiting(db: Queryable, now: Date): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    'select min(next_try_at) as at from messages where next_try_at > $1',
    [now],
  )
  return row?.at ?? null
}

/** Those that remind of nothing else; what is on its way at this moment is not called back. */
export async function deleteReminders(
  tx: Transaction,
  done: readonly { instituteId: number; about: string; id: string }[],
): Promise<void> {
  await tx.query(
    `delete from messages m using unnest($1::int[], $2::text[]) as subject (institute_id, about)
     where m.institute_id = subject.institute_id and m.about = subject.about and m.state = 'queued' and m.is_reminder
       and m.concerns <@ $3 and (m.held_until is null or m.held_until < clock_timestamp())`,
    [done.map(({ instituteId }) => instituteId), done.map(({ about }) => about), done.map(({ id }) => id)],
  )
}

export async function isSent(db: Queryable, instituteId: number, id: string): Promise<boolean> {
  const rows = await db.query(`select from messages where institute_id = $1 and id = $2 and state = 'sent'`, [
    instituteId,
    id,
  ])
  return rows.length > 0
}

/** An institute's sent messages, the one sent last first. */
export async function listSent(
  db: Queryable,
  instituteId: number,
  filter: { recipient: string | undefined; cursor: string | undefined; limit: number },
): Promise<Message[]> {
  const values: unknown[] = [instituteId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const where = ['institute_id = $1', `state = 'sent'`]
  if (filter.recipient !== undefined) where.push(`lower(recipient) = lower(${bind(filter.recipient)})`)
  if (filter.cursor !== undefined) {
    where.push(`(sent_at, id) < (select c.sent_at, c.id from messages c
      where c.institute_id = $1 and c.id = ${bind(filter.cursor)})`)
  }
  return db.query<Message>(
    `select ${COLUMNS} from messages where ${where.join(' and ')}
     order by sent_at desc, id desc limit ${bind(filter.limit)}`,
    values,
  )
}

/** Everybody's messages in every state, the newest first: for the one person whose sandbox it is. */
export async function listEverybodys(
  db: Queryable,
  filter: { recipientPart: string | undefined; before: string | undefined; limit: number },
): Promise<Message[]> {
  const values: unknown[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const where = ['true']
  if (filter.recipientPart !== undefined) {
    where.push(`strpos(lower(recipient), lower(${bind(filter.recipientPart)})) > 0`)
  }
  // An id begins with the moment it was made at, so their order is that of the messages.
  if (filter.before !== undefined) where.push(`id < ${bind(filter.before)}`)
  return db.query<Message>(
    `select ${COLUMNS} from messages where ${where.join(' and ')} order by id desc limit ${bind(filter.limit)}`,
    values,
  )
}
