import type { School } from '../institutes/school/school.rules.ts'
import { readSchools } from '../institutes/school/school.service.ts'
import { assertNever } from '../platform/assert.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { Page, PageRange } from '../platform/db/list.ts'
import { notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import type { Run } from '../platform/jobs/job.ts'
import { GatheredWrites } from '../platform/concurrency.ts'
import { processDue, type LeaseEnd } from '../platform/jobs/due-rows.ts'
import {
  AWAY_MS,
  isRepeatable,
  nextTry,
  plainWords,
  placeSecret,
  isWakingHour,
  nextWakingMoment,
  type Channel,
  type Message,
  type NewMessage,
  type Secret,
} from './messages.rules.ts'
import { writeLetter } from './texts/texts.ts'
import * as store from './messages.store.ts'
import type { Attachment, MessageContext, Outcome } from './senders.ts'
import type { Language } from '../platform/languages.ts'
import type { ChosenLanguage, FamilyKey } from './messages.store.ts'

/** Writes messages down in the transaction of what they tell of; the worker sends them. */
export async function queueMessages(tx: Transaction, messages: readonly NewMessage[]): Promise<void> {
  // A family that the office registered may have no e-mail address.
  const reachable = messages.filter(({ recipient }) => recipient !== '')
  if (reachable.length === 0) return
  const letters = reachable.filter(({ to }) => to !== undefined && to.from === undefined)
  const schools =
    letters.length === 0
      ? new Map<number, School>()
      : await readSchools(
          tx,
          letters.map(({ instituteId }) => instituteId),
        )
  await store.insertMessages(
    tx,
    reachable.map(message => ({
      ...message,
      ...letterOf(message, schools.get(message.instituteId)),
      id: newId('msg'),
    })),
  )
  tx.notify('messages')
}

function letterOf({ to, body }: NewMessage, read: School | undefined) {
  const school = to?.from ?? read
  if (to === undefined || school === undefined) return {}
  return { body: writeLetter(body, to, school), replyTo: school.email }
}

/** One that brings a secret: sealed until it is sent, used or run out, and then erased. */
export async function queueSecretMessage(
  tx: Transaction,
  { vault }: Pick<Context, 'vault'>,
  message: NewMessage,
  secret: Secret,
): Promise<void> {
  const id = newId('msg')
  const secretSealed = vault.seal(secret.text, secretPurpose({ ...message, id }))
  await store.insertMessages(tx, [{ ...message, id, secretSealed, secretUntil: secret.until }])
  tx.notify('messages')
}

/** How many were written about something since then. */
export async function countMessagesAbout(
  tx: Transaction,
  instituteId: number,
  { about, since }: { about: string; since: Date },
): Promise<number> {
  const counts = await store.countAbout(tx, instituteId, { about: [about], since })
  return counts.get(about) ?? 0
}

/** The same of several; what nothing was written about is not in it. */
export async function countMessagesAboutEach(
  tx: Transaction,
  instituteId: number,
  about: { about: readonly string[]; since: Date },
): Promise<Map<string, number>> {
  return store.countAbout(tx, instituteId, about)
}

/** Erases secrets of messages about these, because they were used or open nothing any more. */
export async function eraseSecrets(tx: Transaction, about: readonly string[]): Promise<void> {
  await store.eraseSecretsAbout(tx, about)
}

export async function purgeSecrets({ db }: Pick<Context, 'db'>, limit: number): Promise<number> {
  return store.eraseExpiredSecrets(db, limit)
}

function secretPurpose({ instituteId, id }: { instituteId: number; id: string }): string {
  return `secret of message ${instituteId} ${id}`
}

/** Puts the secret into the text, while it is still stored. */
function openMessage({ vault }: Pick<Context, 'vault'>, message: Message): Message {
  const { secretSealed, secretUntil, body } = message
  if (secretUntil === null) return message
  const secret = secretSealed === null ? '(erased)' : vault.open(secretSealed, secretPurpose(message))
  return { ...message, body: placeSecret(body, secret) }
}

/** Deletes reminders of something that is done; `about` as the messages name it. */
export async function stopReminders(
  tx: Transaction,
  done: readonly { instituteId: number; about: string; id: string }[],
): Promise<void> {
  if (done.length > 0) await store.deleteReminders(tx, done)
}

/** Deletes messages that wait to be sent and are not true any more. */
export async function withdrawMessages(
  tx: Transaction,
  unsent: readonly { instituteId: number; once: string }[],
): Promise<void> {
  if (unsent.length > 0) await store.deleteUnsent(tx, unsent)
}

/**
 * When each of these was first told, by its name; null while it waits to be sent. What nobody could be told, for want of
 * an address or because every try failed, is missing.
 */
export async function whenTold(
  db: Queryable,
  named: readonly { instituteId: number; once: string }[],
): Promise<Map<string, Date | null>> {
  return named.length === 0 ? new Map() : store.findTold(db, named)
}

/**
 * Sends messages that are due. A process that dies while it sends one leaves behind that a try had begun: a mail is then
 * sent again under its Message-ID, by which servers and readers know it; a phone would get a second message, so there a
 * person decides.
 */
export function sendMessages(post: MessageContext): Run {
  // Messages that nothing remote takes end together if they were claimed together: one statement writes their ends.
  const ends = new GatheredWrites<store.TryEnd>(ended => store.endTries(post.db, ended))
  return processDue(post, store.toSend, message => sendMessage({ ...post, ends }, message))
}

type Sending = MessageContext & { ends: GatheredWrites<store.TryEnd> }

/** Each way out ends the lease in the same statement that says what became of it. */
async function sendMessage(post: Sending, message: store.DueMessage): Promise<LeaseEnd> {
  const now = post.clock.now()
  if (message.inWakingHours && !isWakingHour(now, message)) {
    const nextTryAt = nextWakingMoment(now, message)
    await post.ends.add({ ...message, nextTryAt, isTried: false })
    return 'released'
  }
  const isOnce = !isRepeatable(message.channel) && post.senders[message.channel].staysHere !== true
  if (isOnce && message.isSending) {
    await finish(post, message, MAY_HAVE_ARRIVED)
    return 'released'
  }
  if (isOnce) await store.beginTry(post.db, message)
  const outcome = await send(post, message)
  await finish(post, message, outcome)
  if (outcome.kind !== 'delayed' || !outcome.isAway) return 'released'
  // Messages behind a time-out would only wait for the same one; they were not tried, so none counts a try.
  const until = new Date(now.getTime() + AWAY_MS)
  await store.postponeDue(post.db, message.channel, { now: post.clock.now(), until })
  return 'released'
}

const MAY_HAVE_ARRIVED: Outcome = {
  kind: 'refused',
  reason:
    'The server stopped while it was being sent, so it may have arrived. Send it again if the family did not get it.',
}

/** Once what kept it from going is mended; as if it had never been tried. */
export async function retryMessage(
  { db, clock }: Context,
  command: Command<Message>,
  target: { instituteId: number; id: string },
): Promise<Message> {
  return transact(db, command, async tx => {
    const message = await store.sendAgain(tx, target, clock.now())
    if (message === null) throw notFound('This message, as one that failed,')
    return message
  })
}

/** How many of these resources somebody was sent a message about, by channel. */
export async function countTold(
  { db }: Pick<Context, 'db'>,
  instituteId: number,
  about: readonly string[],
): Promise<ReadonlyMap<Channel, store.ToldCounts>> {
  return store.countTold(db, instituteId, about)
}

/** Where a clock that is moved has to stop, so that what waits for the morning goes out in the morning. */
export async function nextMessageStop({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<Date | null> {
  return store.nextWaiting(db, clock.now())
}

export async function nextMessageDue(post: MessageContext): Promise<Date | null> {
  return store.toSend.nextDue(post.db)
}

/** A sender that fails in a way of its own must not hold up the others, nor be asked for ever. */
async function send(post: MessageContext, message: Message): Promise<Outcome> {
  if (message.secretUntil !== null && message.secretSealed === null)
    return { kind: 'refused', reason: 'What it was to bring has been used or has run out.' }
  try {
    const { body } = openMessage(post, message)
    const sender = post.senders[message.channel]
    const attached = sender.carriesFiles === true ? await attachmentOf(post, message) : undefined
    if (attached === null) return NOTHING_TO_SEND
    return await sender.send({ ...message, body, subject: message.subject ?? '', attached })
  } catch (error) {
    return { kind: 'delayed', reason: String(error), isAway: false }
  }
}

/** What goes along with a mail, as its recipient gets it now; for a sandbox only. Null when nothing does. */
export async function readAttachmentOf(
  post: Pick<MessageContext, 'db' | 'readAttachment'>,
  instituteId: number,
  id: string,
): Promise<Attachment | null> {
  const attachment = await store.findAttachment(post.db, instituteId, id)
  return attachment === null ? null : post.readAttachment({ instituteId, attachment, isMailed: false })
}

async function attachmentOf(
  { readAttachment }: MessageContext,
  { instituteId, attachment }: Message,
): Promise<Attachment | null | undefined> {
  if (attachment === null) return undefined
  return readAttachment({ instituteId, attachment, isMailed: true })
}

/** A mail never leaves without what it says is attached; one whose file could not be made is tried again. */
const NOTHING_TO_SEND: Outcome = {
  kind: 'refused',
  reason:
    'What was to go along with it is not there any more, such as the sheet of a class in which nobody is late now.',
}

async function finish(post: Sending, message: Message, outcome: Outcome): Promise<void> {
  const end = endOf(message, outcome, post.clock.now())
  await post.ends.add({ ...message, ...end, isTried: true })
  // A sandbox shows what was sent; elsewhere nobody but its recipient reads it again.
  if (end.state === 'sent' && post.mode === 'live' && message.secretSealed !== null)
    await store.eraseSecretOf(post.db, message)
  const { id, channel, tries } = message
  // Neither the address nor the server's reason, which often repeat it.
  const line = { message_id: id, channel, tries, state: end.state }
  if (end.state === 'sent') post.log.info(line, 'message sent')
  else post.log.warn({ ...line, next_try_at: end.nextTryAt?.toISOString() }, 'message not sent')
}

function endOf(
  message: Message,
  outcome: Outcome,
  now: Date,
): Pick<store.TryEnd, 'state' | 'sentAt' | 'failure' | 'nextTryAt'> {
  switch (outcome.kind) {
    case 'sent':
      return { state: 'sent', sentAt: now, failure: null, nextTryAt: null }
    case 'refused':
      return { state: 'failed', sentAt: null, failure: plainWords(outcome.reason), nextTryAt: null }
    case 'delayed': {
      const nextTryAt = nextTry(message.tries, now)
      const state = nextTryAt === null ? 'failed' : 'queued'
      return { state, sentAt: null, failure: plainWords(outcome.reason), nextTryAt }
    }
    default:
      return assertNever(outcome)
  }
}

/** A page of an institute's sent messages, the newest first; for a sandbox only. */
export async function listSentMessages(
  ctx: Context,
  instituteId: number,
  filter: { recipient: string | undefined },
  page: PageRange,
): Promise<Page<Message>> {
  return openAll(ctx, await store.listSent(ctx.db, instituteId, filter, page))
}

/** A page of everybody's messages, the newest first; for a sandbox only. */
export async function listEverybodysMessages(
  ctx: Context,
  filter: { recipientPart: string | undefined; before: string | undefined; limit: number },
): Promise<Page<Message>> {
  return openAll(ctx, await store.listEverybodys(ctx.db, filter))
}

function openAll(ctx: Context, { rows, ...page }: Page<Message>): Page<Message> {
  return { ...page, rows: rows.map(message => openMessage(ctx, message)) }
}

export type { ChosenLanguage } from './messages.store.ts'

/**
 * The language in which each family is written to: what it chose on its pages, or the office for it, else the first
 * language of the school. A family is known by its phone number, however that is written.
 */
export async function languagesOf(db: Queryable, families: readonly FamilyKey[]): Promise<Language[]> {
  return families.length === 0 ? [] : store.readLanguages(db, families)
}

export async function languageOfFamily(db: Queryable, family: FamilyKey): Promise<Language> {
  const [language = 'en'] = await store.readLanguages(db, [family])
  return language
}

export async function findFamilyLanguage(db: Queryable, family: FamilyKey): Promise<ChosenLanguage | null> {
  return store.findChosen(db, family)
}

/** Null takes a choice back. */
export async function chooseFamilyLanguage(
  db: Queryable,
  family: FamilyKey,
  chosen: ChosenLanguage | null,
): Promise<void> {
  if (chosen === null) await store.deleteChosen(db, family)
  else await store.writeChosen(db, family, chosen)
}
