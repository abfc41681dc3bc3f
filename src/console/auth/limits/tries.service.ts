import { createHash } from 'node:crypto'
import * as store from './tries.store.ts'
import { newTypedCode, plainTypedCode } from '../second-factor/second-factor.service.ts'
import { findUserByEmail } from '../users.store.ts'
import { MAIL_GAP_MS, normaliseEmail, UNLOCK_CODE_MS } from '../../console.rules.ts'
import { firstInstituteOf } from '../../team/team.store.ts'
import { SECRET_PLACE } from '../../../messages/messages.rules.ts'
import { eraseSecrets, queueSecretMessage } from '../../../messages/messages.service.ts'
import { DAY_MS } from '../../../platform/calendar.ts'
import type { Context } from '../../../platform/context.ts'
import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { countTries, uncountTries, type TrySubject } from '../../../platform/db/tries.ts'
import { badField, BursarError } from '../../../platform/errors.ts'
import { LIMITS, networkOf } from '../../../platform/rate-limits.rules.ts'
import { hashSecret, newSecret } from '../../../platform/secrets.ts'

/**
 * Who is guessing. A stranger is counted by the address that is tried and the network it comes from. Whatever strangers do,
 * it does not hold up another network, nor somebody known: a device that has signed in before, the reader of a mailed code,
 * a person who is signed in. Those are counted each by themselves.
 */
export type Guess =
  | { kind: 'stranger'; email: string; ip: string }
  | { kind: 'known'; as: 'device' | 'code' | 'session'; id: string }

const TABLE = { lock: store.lockTries, write: store.writeTries }

/** Counts a try before it is looked at; refuses it while somebody has to wait. */
export async function countTry(ctx: Context, guess: Guess): Promise<void> {
  await count(ctx, subjectsOf(guess), guess.kind === 'stranger' ? ', or have a code sent by e-mail' : '')
}

/** Requests for mails, which are no guesses: they hold up nobody's sign-in and no guess holds them up. */
async function countMailRequest(ctx: Context, guess: Guess): Promise<void> {
  const by = guess.kind === 'known' ? `${guess.as} ${guess.id}` : networkOf(guess.ip)
  await count(ctx, [{ key: `mail ${by}`, limit: LIMITS.staffMail.waits }], '')
}

async function count(
  { db }: Context,
  subjects: readonly [TrySubject, ...TrySubject[]],
  otherwise: string,
): Promise<void> {
  const blockedUntil = await countTries(db, TABLE, subjects)
  if (blockedUntil === null) return
  const seconds = Math.max(1, Math.ceil((blockedUntil.getTime() - Date.now()) / 1_000))
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  throw new BursarError('RLE00000', `Too many tries. Wait ${wait} and try again${otherwise}.`, {
    retryAfterS: seconds,
  })
}

/** It was no failure; those before it stand. */
export async function uncountTry({ db }: Context, guess: Guess): Promise<void> {
  await uncountTries(db, TABLE, subjectsOf(guess))
}

/** The right person came in: their own failures are forgotten, the network's are not. */
export async function purgeTries({ db }: Context, guess: Guess): Promise<void> {
  const [own, ...shared] = subjectsOf(guess)
  await store.purgeTries(db, own.key)
  await uncountTries(db, TABLE, shared)
}

/** A code that was mailed to an address ends the wait of the network it was used from, and of all networks together. */
export async function endWait({ db }: Context, stranger: { email: string; ip: string }): Promise<void> {
  const [own, ofAddress] = subjectsOf({ kind: 'stranger', ...stranger })
  for (const subject of [own, ofAddress]) if (subject !== undefined) await store.purgeTries(db, subject.key)
}

/** Always locked in this order. */
function subjectsOf(guess: Guess): [TrySubject, ...TrySubject[]] {
  if (guess.kind === 'known') return [{ key: `${guess.as} ${guess.id}`, limit: LIMITS.staffKnown.waits }]
  const address = addressKey(guess.email)
  const network = networkOf(guess.ip)
  return [
    { key: `${address} ${network}`, limit: LIMITS.staffAccountAtNetwork.waits },
    { key: address, limit: LIMITS.staffAccount.waits, isShared: true },
    { key: `network ${network}`, limit: LIMITS.staffNetwork.waits },
  ]
}

/** Hashed, so that the table does not become a list of addresses that people mistyped. An address counts whether somebody has it or not. */
function addressKey(email: string): string {
  return `address ${createHash('sha256').update(email).digest('base64url')}`
}

/** What tells a person from a stranger before the password is looked at. */
type Credentials = {
  email: string
  ip: string
  /** The secret of the device's cookie. */
  device: string | null
  mailCode: string | undefined
}

/** Somebody who cannot sign in asks for a mail. */
export type MailRequest = Pick<Credentials, 'email' | 'ip' | 'device'>

export async function recognise({ db }: Context, sent: Credentials): Promise<Guess> {
  const { email, ip, device, mailCode } = sent
  if (mailCode !== undefined) {
    const codeHash = hashSecret(plainTypedCode(mailCode))
    const since = new Date(Date.now() - UNLOCK_CODE_MS)
    if (!(await store.isCodeOf(db, email, { codeHash, since })))
      throw badField('mail_code', 'is not right, or is too old: have a new one sent')
    return { kind: 'known', as: 'code', id: codeHash.toString('base64url') }
  }
  if (device !== null) {
    const secretHash = hashSecret(device)
    const { isTheirs } = await store.findDevice(db, secretHash, { email })
    if (isTheirs) return { kind: 'known', as: 'device', id: `${secretHash.toString('base64url')} ${email}` }
  }
  return { kind: 'stranger', email, ip }
}

/** Whether somebody signed in on this device before. */
export async function isKnownDevice({ db }: Context, device: string | null): Promise<boolean> {
  return device !== null && (await store.findDevice(db, hashSecret(device), { userId: '' })).isKnown
}

const MOST_DEVICES = 50
const DEVICE_KEPT_MS = 180 * DAY_MS

/** Answers the secret for the device's cookie: colleagues who share a device share it, one that we never gave is replaced. */
export async function rememberDevice(
  tx: Transaction,
  userId: string,
  device: string | null,
): Promise<string> {
  const isKnown = device !== null && (await store.findDevice(tx, hashSecret(device), { userId })).isKnown
  const secret = isKnown ? device : newSecret()
  await store.putDevice(tx, userId, { secretHash: hashSecret(secret), most: MOST_DEVICES })
  return secret
}

type MailedPerson = { userId: string; email: string; instituteId: number; noneSince: Date }

/**
 * Whoever asks for a mail hears nothing of whether there is such a person. Somebody who was mailed after `noneSince` has
 * what they need.
 */
export async function mailPerson(
  ctx: Context,
  { email: sentEmail, ip, device }: MailRequest,
  mail: (tx: Transaction, person: MailedPerson) => Promise<void>,
): Promise<void> {
  const email = normaliseEmail(sentEmail)
  await countMailRequest(ctx, await recognise(ctx, { email, ip, device, mailCode: undefined }))
  await ctx.db.transaction(async tx => {
    const user = await findUserByEmail(tx, email)
    const instituteId = user === null ? null : await firstInstituteOf(tx, user.id)
    if (user === null || user.disabledAt !== null || instituteId === null) return
    const noneSince = new Date(Date.now() - MAIL_GAP_MS)
    await mail(tx, { userId: user.id, email, instituteId, noneSince })
  })
}

export async function mailUnlockCode(ctx: Context, request: MailRequest): Promise<void> {
  await mailPerson(ctx, request, async (tx, { userId, email, instituteId, noneSince }) => {
    if (await store.hasCodeSince(tx, userId, noneSince)) return
    const code = newTypedCode()
    await store.insertCode(tx, userId, hashSecret(plainTypedCode(code)))
    const message = {
      instituteId,
      channel: 'email',
      recipient: email,
      subject: 'Your code for signing in to Bursar',
      body: [
        'Somebody, hopefully you, cannot sign in to the Bursar console because of too many wrong passwords. Enter this code together with your password:',
        '',
        SECRET_PLACE,
        '',
        'It works for an hour. If it was not you, ignore this mail: nobody gets in with the code alone.',
      ].join('\n'),
      about: userId,
      at: ctx.clock.now(),
    } as const
    const until = new Date(Date.now() + UNLOCK_CODE_MS)
    await queueSecretMessage(tx, ctx, message, { text: code, until })
  })
}

/** They have done what they were for. */
export async function spendCodes({ db }: Context, userId: string): Promise<void> {
  await db.transaction(async tx => {
    await store.deleteCodesOf(tx, userId)
    await eraseSecrets(tx, [userId])
  })
}

export async function purgeKnown(db: Queryable, limit: number): Promise<number> {
  const now = Date.now()
  const devices = await store.deleteOldDevices(db, new Date(now - DEVICE_KEPT_MS), limit)
  const codes = await store.deleteOldCodes(db, new Date(now - UNLOCK_CODE_MS), limit)
  return Math.max(devices, codes)
}
