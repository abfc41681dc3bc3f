import { badField, conflict, notFound, badRequest } from '../../platform/errors.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { hashSecret } from '../../platform/secrets.ts'
import type { Who } from '../console.rules.ts'
import { findPasswordFlaw, hashPassword, passwordMatches } from '../auth/passwords.ts'
import { endSessions } from '../auth/users.store.ts'
import { isRequiredOf, listPasskeys, type Passkey } from '../auth/second-factor/second-factor.store.ts'
import { hasPasskeySite } from '../auth/second-factor/webauthn.ts'
import { factorNeeded, totpPurpose } from '../auth/sign-in.service.ts'
import {
  matchTotp,
  newRecoveryCodes,
  newTotpSecret,
  plainTypedCode,
  totpSetup,
  offerRegistration,
  verifyRegistration,
} from '../auth/second-factor/second-factor.service.ts'
import { countTry, purgeTries, type Guess } from '../auth/limits/tries.service.ts'
import * as users from '../auth/users.store.ts'
import { instituteNamesOf } from './team.store.ts'
import { newId } from '../../platform/ids.ts'
import * as store from '../auth/second-factor/second-factor.store.ts'

export type Account = {
  email: string
  name: string
  isOperator: boolean
  hasPassword: boolean
  hasTotp: boolean
  recoveryCodesLeft: number
  passkeys: Passkey[]
  /** Whether browsers have passkeys for this site: not under a bare address. */
  hasPasskeySite: boolean
  isFactorRequired: boolean
}

export async function readAccount(ctx: Context, who: Who): Promise<Account> {
  const { db } = ctx
  const [user, recoveryCodesLeft, passkeys, isFactorRequired] = await Promise.all([
    users.findUser(db, who.userId),
    users.countRecoveryCodes(db, who.userId),
    listPasskeys(db, who.userId),
    isRequiredOf(db, who.userId),
  ])
  if (user === null) throw notFound('This account')
  return {
    email: user.email,
    name: user.name,
    isOperator: user.isOperator,
    hasPassword: user.passwordHash !== null,
    hasTotp: user.totpConfirmedAt !== null,
    recoveryCodesLeft,
    passkeys,
    hasPasskeySite: hasPasskeySite(ctx),
    isFactorRequired,
  }
}

export async function renameSelf(
  { db }: Context,
  command: Command<null>,
  who: Who,
  name: string,
): Promise<null> {
  return transact(db, command, async tx => {
    await users.setName(tx, who.userId, name)
    return null
  })
}

/** Somebody who sits down at an unlocked screen must not be able to take the account over. */
type Proof = { password?: string | undefined }

export async function changePassword(
  ctx: Context,
  command: Command<null>,
  who: Who,
  { proof, password }: { proof: Proof; password: string },
): Promise<null> {
  const institutes = await instituteNamesOf(ctx.db, who.userId)
  const flaw = await findPasswordFlaw(password, { ...who, institutes })
  if (flaw !== null) throw badField('new_password', flaw)
  await prove(ctx, who, proof)
  const passwordHash = await hashPassword(password)
  return transact(ctx.db, command, async tx => {
    await users.setPassword(tx, who.userId, passwordHash)
    await endSessions(tx, who.userId, { except: who.sessionId, because: 'password changed' })
    return null
  })
}

export type TotpStart = { secret: string; uri: string; qrSvg: string }

/** A secret to scan; it counts once a code of it has been typed in. */
export async function startTotp(
  ctx: Context,
  command: Command<TotpStart>,
  who: Who,
  proof: Proof,
): Promise<TotpStart> {
  await prove(ctx, who, proof)
  const secret = newTotpSecret()
  const setup = await totpSetup(secret, who.email)
  return transact(ctx.db, command, async tx => {
    if ((await lockSelf(tx, who)).totpConfirmedAt !== null)
      throw conflict('Codes are asked for already. Switch them off first to use another app.')
    await users.setTotpSecret(tx, who.userId, ctx.vault.seal(secret, totpPurpose(who.userId)))
    return { secret, ...setup }
  })
}

export async function confirmTotp(
  ctx: Context,
  command: Command<string[]>,
  who: Who,
  code: string,
): Promise<string[]> {
  return transact(ctx.db, command, async tx => {
    const user = await lockSelf(tx, who)
    if (user.totpConfirmedAt !== null) throw conflict('Codes are asked for already.')
    if (user.totpSecretSealed === null)
      throw conflict('Scan the picture first; it has not been asked for yet.')
    const step = matchTotp(ctx.vault.open(user.totpSecretSealed, totpPurpose(user.id)), code, null)
    if (step === null)
      throw badField('code', "is not the app's code of this moment. Check that the phone's clock is right")
    await users.confirmTotp(tx, user.id, step)
    return renewCodes(tx, user.id)
  })
}

export async function removeTotp(
  ctx: Context,
  command: Command<null>,
  who: Who,
  proof: Proof,
): Promise<null> {
  await prove(ctx, who, proof)
  return transact(ctx.db, command, async tx => {
    const { totpConfirmedAt } = await lockSelf(tx, who)
    await users.setTotpSecret(tx, who.userId, null)
    if (totpConfirmedAt !== null) await settleRemoval(tx, who)
    return null
  })
}

/** A person of whom a second factor is required keeps one; recovery codes stand in for one and end with the last. */
async function settleRemoval(tx: Transaction, who: Who): Promise<void> {
  if ((await factorNeeded({ db: tx }, await lockSelf(tx, who))) !== null) return
  if (await isRequiredOf(tx, who.userId))
    throw conflict('A second factor is required of you. Set up another one before you remove this one.')
  await users.replaceRecoveryCodes(tx, who.userId, [])
}

export async function renewRecoveryCodes(
  ctx: Context,
  command: Command<string[]>,
  who: Who,
  proof: Proof,
): Promise<string[]> {
  await prove(ctx, who, proof)
  return transact(ctx.db, command, async tx => {
    if ((await factorNeeded({ db: tx }, await lockSelf(tx, who))) === null)
      throw conflict('Recovery codes stand in for a passkey or an app. Set one up first.')
    return renewCodes(tx, who.userId)
  })
}

async function renewCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map(code => hashSecret(plainTypedCode(code)))
  await users.replaceRecoveryCodes(tx, userId, hashes)
  return codes
}

async function lockSelf(tx: Transaction, who: Who): Promise<users.ConsoleUser> {
  const user = await users.lockUser(tx, who.userId)
  if (user === null) throw notFound('This account')
  return user
}

/** Counts like a try to sign in, by the session itself: neither strangers nor another session hold up who is in. A demo user has no password to ask for. */
export async function prove(ctx: Context, who: Who, { password }: Proof): Promise<void> {
  const user = await users.findUser(ctx.db, who.userId)
  if (user === null) throw notFound('This account')
  if (user.passwordHash === null) return
  if (password === undefined) throw badField('password', 'is required: your present password')
  const guess: Guess = { kind: 'known', as: 'session', id: who.sessionId }
  await countTry(ctx, guess)
  if (!(await passwordMatches(password, user.passwordHash)))
    throw badField('password', 'is not your present password')
  await purgeTries(ctx, guess)
}

/** More devices than anybody signs in with. */
const MOST_PASSKEYS = 20

/** What the browser needs to make one; the password is proven here, and what comes back is bound to it. */
export async function startPasskey(ctx: Context, who: Who, proof: Proof): Promise<string> {
  if (!hasPasskeySite(ctx))
    throw badRequest('Browsers have passkeys for a name such as fees.example.in, not for a bare address.')
  await prove(ctx, who, proof)
  return offerRegistration(ctx, who)
}

export type AddedPasskey = { id: string; name: string; recoveryCodes: string[] }

/** Recovery codes come with the first second factor. */
export async function addPasskey(
  ctx: Context,
  command: Command<AddedPasskey>,
  who: Who,
  sent: { name: string; passkey: string },
): Promise<AddedPasskey> {
  const key = await verifyRegistration(ctx, who.userId, sent.passkey)
  if (key === null) throw badField('passkey', 'was not accepted, or came too late. Start again')
  return transact(ctx.db, command, async tx => {
    const user = await lockSelf(tx, who)
    const known = await store.listPasskeys(tx, who.userId)
    if (known.length >= MOST_PASSKEYS) throw conflict('Remove a passkey that you do not use any more first.')
    const isFirst = (await factorNeeded({ db: tx }, user)) === null
    const id = newId('pkey')
    if (
      !(await store.insertPasskey(tx, {
        id,
        userId: who.userId,
        name: sent.name,
        ...key,
        transports: [...key.transports],
      }))
    )
      throw conflict('This passkey is registered already.')
    return { id, name: sent.name, recoveryCodes: isFirst ? await renewCodes(tx, who.userId) : [] }
  })
}

export async function renamePasskey(
  { db }: Context,
  command: Command<null>,
  who: Who,
  { id, name }: { id: string; name: string },
): Promise<null> {
  return transact(db, command, async tx => {
    if (!(await store.renamePasskey(tx, { userId: who.userId, id }, name))) throw notFound('This passkey')
    return null
  })
}

export async function removePasskey(
  ctx: Context,
  command: Command<{ name: string }>,
  who: Who,
  { id, proof }: { id: string; proof: Proof },
): Promise<{ name: string }> {
  await prove(ctx, who, proof)
  return transact(ctx.db, command, async tx => {
    await lockSelf(tx, who)
    const removed = await store.deletePasskey(tx, { userId: who.userId, id })
    if (removed === null) throw notFound('This passkey')
    await settleRemoval(tx, who)
    return removed
  })
}
