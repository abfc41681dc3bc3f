import { createHash } from 'node:crypto'
import { BursarError } from '../../../platform/errors.ts'
import type { Context } from '../../../platform/context.ts'
import { ADDRESS_LIMIT, admitTry, NETWORK_LIMIT, takeBack, type TryLimit } from '../../console.rules.ts'
import * as store from './tries.store.ts'

/** Who is guessing, seen two ways. An address counts whether somebody has it or not. */
export type Guess = { email: string; ip: string }

type Subject = { key: string; limit: TryLimit }

/** Counts a try before it is looked at; refuses it while either side has to wait. */
export async function countTry({ db }: Context, guess: Guess): Promise<void> {
  const blockedUntil = await db.transaction(async tx => {
    const now = new Date()
    for (const { key, limit } of subjectsOf(guess)) {
      const admission = admitTry(await store.lockTries(tx, key), now, limit)
      if (admission.kind === 'blocked') return admission.until
      await store.writeTries(tx, key, admission.tries)
    }
    return null
  })
  if (blockedUntil === null) return
  const seconds = Math.max(1, Math.ceil((blockedUntil.getTime() - Date.now()) / 1_000))
  throw new BursarError(
    'RLE00000',
    `Too many tries. Wait ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`,
    { retryAfterS: seconds },
  )
}

/** It was no failure; those before it stand. */
export async function takeBackTry({ db }: Context, guess: Guess): Promise<void> {
  await takeBackAt(db, subjectsOf(guess))
}

/** The right person came in: their own failures are forgotten, the network's are not. */
export async function purgeTries({ db }: Context, guess: Guess): Promise<void> {
  const [address, network] = subjectsOf(guess)
  await store.purgeTries(db, address.key)
  await takeBackAt(db, [network])
}

async function takeBackAt(db: Context['db'], subjects: readonly Subject[]): Promise<void> {
  await db.transaction(async tx => {
    for (const { key, limit } of subjects) {
      const tries = await store.lockTries(tx, key)
      if (tries !== null) await store.writeTries(tx, key, takeBack(tries, limit))
    }
  })
}

/** Hashed, so that the table does not become a list of addresses that people mistyped. Always locked in this order. */
function subjectsOf({ email, ip }: Guess): [Subject, Subject] {
  const digest = createHash('sha256').update(email).digest('base64url')
  return [
    { key: `address ${digest}`, limit: ADDRESS_LIMIT },
    { key: `network ${ip}`, limit: NETWORK_LIMIT },
  ]
}
