import { createHash } from 'node:crypto'
import { BursarError } from '../../../platform/errors.ts'
import type { Context } from '../../../platform/context.ts'
import { LIMITS, networkOf, type Waits } from '../../../platform/rate-limits.rules.ts'
import { admitTry, takeBack } from '../../console.rules.ts'
import * as store from './tries.store.ts'

/**
 * Who is guessing. A stranger is counted by the address that is tried and the network it comes from. Whatever strangers do,
 * it does not hold up another network, nor somebody known: a device that has signed in before, the reader of a mailed code,
 * a person who is signed in. Those are counted each by themselves.
 */
export type Guess =
  | { kind: 'stranger'; email: string; ip: string }
  | { kind: 'known'; as: 'device' | 'code' | 'session'; id: string }

type Subject = {
  key: string
  limit: Waits
  /** Counts what the first subject does without a wait: a network that keeps guessing adds nothing more to it. */
  isShared?: true
}

/** Counts a try before it is looked at; refuses it while somebody has to wait. */
export async function countTry(ctx: Context, guess: Guess): Promise<void> {
  await count(ctx, subjectsOf(guess), guess.kind === 'stranger' ? ', or have a code sent by e-mail' : '')
}

/** Requests for mails, which are no guesses: they hold up nobody's sign-in and no guess holds them up. */
export async function countMailRequest(ctx: Context, guess: Guess): Promise<void> {
  const by = guess.kind === 'known' ? `${guess.as} ${guess.id}` : networkOf(guess.ip)
  await count(ctx, [{ key: `mail ${by}`, limit: LIMITS.staffMail.waits }], '')
}

async function count(
  { db }: Context,
  subjects: readonly [Subject, ...Subject[]],
  otherwise: string,
): Promise<void> {
  const blockedUntil = await db.transaction(async tx => {
    const now = new Date()
    const [own] = subjects
    let ofOwn = 0
    for (const subject of subjects) {
      const { key, limit, isShared = false } = subject
      const admission = admitTry(await store.lockTries(tx, key), now, limit)
      if (admission.kind === 'blocked') return admission.until
      if (subject === own) ofOwn = admission.tries.failures
      if (!isShared || ofOwn <= own.limit.free) await store.writeTries(tx, key, admission.tries)
    }
    return null
  })
  if (blockedUntil === null) return
  const seconds = Math.max(1, Math.ceil((blockedUntil.getTime() - Date.now()) / 1_000))
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  throw new BursarError('RLE00000', `Too many tries. Wait ${wait} and try again${otherwise}.`, {
    retryAfterS: seconds,
  })
}

/** It was no failure; those before it stand. */
export async function takeBackTry({ db }: Context, guess: Guess): Promise<void> {
  await takeBackAt(db, subjectsOf(guess))
}

/** The right person came in: their own failures are forgotten, the network's are not. */
export async function purgeTries({ db }: Context, guess: Guess): Promise<void> {
  const [own, ...shared] = subjectsOf(guess)
  await store.purgeTries(db, own.key)
  await takeBackAt(db, shared)
}

/** A code that was mailed to an address ends the wait of the network it was used from, and of all networks together. */
export async function endWait({ db }: Context, stranger: { email: string; ip: string }): Promise<void> {
  const [own, ofAddress] = subjectsOf({ kind: 'stranger', ...stranger })
  for (const subject of [own, ofAddress]) if (subject !== undefined) await store.purgeTries(db, subject.key)
}

async function takeBackAt(db: Context['db'], subjects: readonly Subject[]): Promise<void> {
  await db.transaction(async tx => {
    for (const { key, limit } of subjects) {
      const tries = await store.lockTries(tx, key)
      if (tries !== null) await store.writeTries(tx, key, takeBack(tries, limit))
    }
  })
}

/** Always locked in this order. */
function subjectsOf(guess: Guess): [Subject, ...Subject[]] {
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
