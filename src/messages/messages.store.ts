import { institutesOf, isHere, oneOf } from '../platform/db/query.ts'
import type { School } from '../institutes/school/school.rules.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import { allOf, list, toPage, type Page, type PageRange } from '../platform/db/list.ts'
import { Table } from '../platform/db/table.ts'
import { leasedRows } from '../platform/jobs/due-rows.ts'
import type { Channel, Message, NewMessage } from './messages.rules.ts'
import type { Language } from '../platform/languages.ts'

const messages = new Table<Message>('messages', {
  instituteId: 'int',
  id: 'text',
  channel: 'text',
  recipient: 'text',
  subject: 'text',
  body: 'text',
  about: 'text',
  state: 'text',
  createdAt: 'timestamptz',
  sentAt: 'timestamptz',
  failure: 'text',
  replyTo: 'text',
  tries: 'int',
  isSending: 'boolean',
  nextTryAt: 'timestamptz',
  inWakingHours: 'boolean',
  template: 'text',
  inEnglish: 'text',
  attachment: 'text',
  secretSealed: 'bytea',
  secretUntil: 'timestamptz',
})
const newMessages = messages.with<{ concerns: readonly string[]; once: string | null }>({
  concerns: 'text[]',
  once: 'text',
})

const COLUMNS = messages.columns('m')

type QueuedMessage = NewMessage & { id: string } & Partial<
    Pick<Message, 'secretSealed' | 'secretUntil' | 'replyTo'>
  >

export async function insertMessages(tx: Transaction, queued: readonly QueuedMessage[]): Promise<void> {
  await newMessages.insert(
    tx,
    queued.map(({ at, leavesAt = at, to: _to, ...message }) => ({
      ...message,
      subject: message.subject ?? null,
      state: 'queued',
      createdAt: at,
      sentAt: null,
      failure: null,
      replyTo: message.replyTo ?? null,
      tries: 0,
      isSending: false,
      nextTryAt: leavesAt,
      inWakingHours: message.inWakingHours ?? false,
      template: message.template ?? null,
      inEnglish: message.inEnglish ?? null,
      attachment: message.attachment ?? null,
      concerns: message.concerns ?? [],
      once: message.once ?? null,
      secretSealed: message.secretSealed ?? null,
      secretUntil: message.secretUntil ?? null,
    })),
    { onConflict: 'on conflict (institute_id, channel, once) where once is not null do nothing' },
  )
}

/** A message with the hours in which its school writes to phones. */
export type DueMessage = Message & Pick<School, 'messagesFrom' | 'messagesUntil'>

const hourOf = (column: string): string =>
  `(select i.${column} from institutes i where i.id = messages.institute_id)`

export const toSend = leasedRows<DueMessage>({
  table: 'messages',
  dueAt: 'next_try_at',
  attempts: 'tries',
  columns: `${messages.columns('messages')}, ${hourOf('messages_from')} as "messagesFrom",
    ${hourOf('messages_until')} as "messagesUntil"`,
})

/** Written before a try whose repeat nobody could tell from a second message. */
export async function beginTry(db: Queryable, { instituteId, id, tries }: Message): Promise<void> {
  await db.query(
    `update messages set is_sending = true where institute_id = $1 and id = $2 and tries = $3 and state = 'queued'`,
    [instituteId, id, tries],
  )
}

/** What became of a message that was at hand; one that was put off has not been tried. */
export type TryEnd = Pick<
  Message,
  'instituteId' | 'id' | 'tries' | 'state' | 'sentAt' | 'failure' | 'nextTryAt'
> & {
  isTried: boolean
}

const ends = messages.with<{ isTried: boolean }>({ isTried: 'boolean' })

/** The count of tries names the holder: one whose lease has expired changes nothing any more. */
export async function endTries(db: Queryable, ended: readonly TryEnd[]): Promise<void> {
  const { text, values } = ends.rowsOf(ended, [
    'instituteId',
    'id',
    'tries',
    'state',
    'sentAt',
    'failure',
    'nextTryAt',
    'isTried',
  ])
  const institutes = oneOf('m.institute_id', institutesOf(ended), values.length + 1)
  await db.query(
    `update messages m set state = r.state, sent_at = r.sent_at, failure = r.failure, next_try_at = r.next_try_at,
       held_until = null, tries = case when r.is_tried then m.tries else m.tries - 1 end,
       is_sending = m.is_sending and not r.is_tried
     from ${text}
     where ${institutes.is} and m.institute_id = r.institute_id and m.id = r.id
       and m.tries = r.tries and m.state = 'queued'`,
    [...values, institutes.value],
  )
}

export async function eraseSecretsAbout(db: Queryable, about: readonly string[]): Promise<void> {
  await db.query(
    `update messages set secret_sealed = null
     where about = any($1) and secret_sealed is not null`,
    [about],
  )
}

export async function eraseSecretOf(db: Queryable, { instituteId, id }: Message): Promise<void> {
  await db.query('update messages set secret_sealed = null where institute_id = $1 and id = $2', [
    instituteId,
    id,
  ])
}

/** Secrets run out in real time. */
export async function countAbout(
  db: Queryable,
  instituteId: number,
  { about, since }: { about: readonly string[]; since: Date },
): Promise<Map<string, number>> {
  const rows = await db.query<{ about: string; count: number }>(
    `select m.about, count(*) from messages m where m.institute_id = $1 and m.about = any($2) and m.created_at > $3
     group by m.about`,
    [instituteId, about, since],
  )
  return new Map(rows.map(row => [row.about, row.count]))
}

export async function eraseExpiredSecrets(db: Database, limit: number): Promise<number> {
  const rows = await db.query(
    `update messages set secret_sealed = null where (institute_id, id) in (
       select institute_id, id from messages where secret_sealed is not null and secret_until < now() and ${isHere()} limit $1) returning 1`,
    [limit],
  )
  return rows.length
}

export async function postponeDue(
  db: Database,
  channel: Channel,
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  await db.query(
    `update messages set next_try_at = $3
     where channel = $1 and next_try_at <= $2 and (held_until is null or held_until < statement_timestamp()) and ${isHere()}`,
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
    `update messages m set state = 'queued', tries = 0, is_sending = false, next_try_at = $3
     where institute_id = $1 and id = $2 and state = 'failed' returning ${COLUMNS}`,
    [instituteId, id, now],
  )
  return row ?? null
}

/** How many of these resources somebody was sent a message about, or is being sent one, by channel. */
/** How many resources somebody is told about, and for how many the message still waits. */
export type ToldCounts = { count: number; waiting: number }

export async function countTold(
  db: Queryable,
  instituteId: number,
  about: readonly string[],
): Promise<Map<Channel, ToldCounts>> {
  const rows = await db.query<ToldCounts & { channel: Channel }>(
    `select channel, count(distinct about)::int as count,
       count(distinct about) filter (where state <> 'sent')::int as waiting
     from messages where institute_id = $1 and about = any($2) and state <> 'failed' group by channel`,
    [instituteId, about],
  )
  return new Map(rows.map(({ channel, ...told }) => [channel, told]))
}

/** The next that waits for a moment that is still to come. */
export async function nextWaiting(db: Database, now: Date): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(next_try_at) as at from messages where next_try_at > $1 and ${isHere()}`,
    [now],
  )
  return row?.at ?? null
}

/** Deletes messages that remind of nothing else; what is being sent at this moment is not called back. */
export async function deleteReminders(
  tx: Transaction,
  done: readonly { instituteId: number; about: string; id: string }[],
): Promise<void> {
  await tx.query(
    `delete from messages m using unnest($1::int[], $2::text[]) as subject (institute_id, about)
     where m.institute_id = subject.institute_id and m.institute_id = any ($4::int[]) and m.about = subject.about and m.state = 'queued'
       and m.concerns <> '{}' and m.concerns <@ $3 and (m.held_until is null or m.held_until < now())`,
    [
      done.map(({ instituteId }) => instituteId),
      done.map(({ about }) => about),
      done.map(({ id }) => id),
      institutesOf(done),
    ],
  )
}

/** Deletes messages that are queued and that no worker is sending. */
export async function deleteUnsent(
  tx: Transaction,
  unsent: readonly { instituteId: number; once: string }[],
): Promise<void> {
  await tx.query(
    `delete from messages m using unnest($1::int[], $2::text[]) as told (institute_id, once)
     where m.institute_id = told.institute_id and m.institute_id = any ($3::int[]) and m.once = told.once and m.state = 'queued'
       and (m.held_until is null or m.held_until < now())`,
    [unsent.map(({ instituteId }) => instituteId), unsent.map(({ once }) => once), institutesOf(unsent)],
  )
}

/** When the first channel told each, by name; null while all that are left wait. */
export async function findTold(
  db: Queryable,
  named: readonly { instituteId: number; once: string }[],
): Promise<Map<string, Date | null>> {
  const rows = await db.query<{ once: string; sentAt: Date | null }>(
    `select m.once, min(m.sent_at) as "sentAt"
     from unnest($1::int[], $2::text[]) as told (institute_id, once)
     join messages m on m.institute_id = told.institute_id and m.once = told.once
     where m.institute_id = any ($3::int[]) and m.state <> 'failed' group by m.institute_id, m.once`,
    [named.map(({ instituteId }) => instituteId), named.map(({ once }) => once), institutesOf(named)],
  )
  return new Map(rows.map(({ once, sentAt }) => [once, sentAt]))
}

/** Names the file that goes along with a mail. */
export async function findAttachment(db: Queryable, instituteId: number, id: string): Promise<string | null> {
  const [row] = await db.query<{ attachment: string | null }>(
    'select attachment from messages where institute_id = $1 and id = $2',
    [instituteId, id],
  )
  return row?.attachment ?? null
}

/** An institute's sent messages, the one sent last first. */
export async function listSent(
  db: Queryable,
  instituteId: number,
  filter: { recipient: string | undefined },
  page: PageRange,
): Promise<Page<Message>> {
  return list<Message>(
    db,
    {
      select: COLUMNS,
      from: 'messages m',
      scope: [['m.institute_id = $1', instituteId], [`m.state = 'sent'`]],
      filters: [['lower(m.recipient) = lower($1)', filter.recipient]],
      order: ['sent_at', 'id'],
      direction: 'desc',
    },
    page,
  )
}

/** Everybody's messages in every state, the newest first: for the one person whose sandbox it is. */
export async function listEverybodys(
  db: Queryable,
  filter: { recipientPart: string | undefined; before: string | undefined; limit: number },
): Promise<Page<Message>> {
  const values: unknown[] = []
  const where = allOf(values, [
    ['strpos(lower(m.recipient), lower($1)) > 0', filter.recipientPart],
    // An id begins with the moment it was made at, so their order is that of the messages.
    ['m.id < $1', filter.before],
  ])
  const found = await db.query<Message>(
    `select ${COLUMNS} from messages m where ${where} order by m.id desc limit $${values.push(filter.limit + 1)}`,
    values,
  )
  return toPage(found, filter.limit, message => message.id)
}

export type FamilyKey = { instituteId: number; phone: string }
export type ChosenLanguage = { language: Language; chosenBy: 'family' | 'office'; chosenAt: Date }

/** One for each, in their order: what was chosen, else the language of the institute, else English. */
export async function readLanguages(db: Queryable, families: readonly FamilyKey[]): Promise<Language[]> {
  const rows = await db.query<{ language: Language }>(
    `select coalesce(f.language, i.family_language, 'en') as language
     from unnest($1::int[], $2::text[]) with ordinality as asked (institute_id, phone, n)
     join institutes i on i.id = asked.institute_id
     left join family_languages f on f.institute_id = asked.institute_id and f.institute_id = any ($3::int[])
       and f.family = phone_key(asked.phone)
     order by asked.n`,
    [
      families.map(({ instituteId }) => instituteId),
      families.map(({ phone }) => phone),
      institutesOf(families),
    ],
  )
  return rows.map(({ language }) => language)
}

export async function findChosen(
  db: Queryable,
  { instituteId, phone }: FamilyKey,
): Promise<ChosenLanguage | null> {
  const [row] = await db.query<ChosenLanguage>(
    `select language, chosen_by as "chosenBy", chosen_at as "chosenAt" from family_languages
     where institute_id = $1 and family = phone_key($2)`,
    [instituteId, phone],
  )
  return row ?? null
}

export async function writeChosen(
  db: Queryable,
  { instituteId, phone }: FamilyKey,
  { language, chosenBy, chosenAt }: ChosenLanguage,
): Promise<void> {
  await db.query(
    `insert into family_languages (institute_id, family, language, chosen_by, chosen_at)
     values ($1, phone_key($2), $3, $4, $5) on conflict (institute_id, family) do update
       set language = excluded.language, chosen_by = excluded.chosen_by, chosen_at = excluded.chosen_at`,
    [instituteId, phone, language, chosenBy, chosenAt],
  )
}

export async function deleteChosen(db: Queryable, { instituteId, phone }: FamilyKey): Promise<void> {
  await db.query('delete from family_languages where institute_id = $1 and family = phone_key($2)', [
    instituteId,
    phone,
  ])
}
