import { BursarError, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { hashSecret } from '../../platform/secrets.ts'
import { NO_INSTITUTE, recordAudit } from '../audit/audit.service.ts'
import { normaliseEmail, type Origin, type Who } from '../console.rules.ts'
import { passwordMatches } from './passwords.ts'
import { openSession, type NewSession, recordSignIn, type WayIn } from './sessions.service.ts'
import {
  matchTotp,
  plainTypedCode,
  offerFactor,
  verifyPasskey,
} from './second-factor/second-factor.service.ts'
import { countTry, endWait, purgeTries, recognise, spendCodes, uncountTry } from './limits/tries.service.ts'
import { listPasskeys } from './second-factor/second-factor.store.ts'
import * as users from './users.store.ts'

export type SignIn = {
  email: string
  password: string
  code?: string | undefined
  passkey?: string | undefined
  mailCode?: string | undefined
}

/** `passkeyOptions` is for the browser, of somebody who has passkeys. */
export type FactorNeeded = { kind: 'code_needed'; passkeyOptions: string | null; hasApp: boolean }
export type SignedIn = { kind: 'signed_in'; session: NewSession } | FactorNeeded

/** Where the request came from, the secret of that device if it has one, and whose session it came with. */
export type SignInRequest = { origin: Origin; device: string | null; replaced: Who | null }

/**
 * One call with everything: without a half-open session in between there is none to steal. Whatever is wrong, the
 * answer and the time it takes are the same, whether or not there is such a person.
 */
export async function signIn(ctx: Context, sent: SignIn, request: SignInRequest): Promise<SignedIn> {
  const email = normaliseEmail(sent.email)
  const { device, origin } = request
  const guess = await recognise(ctx, { email, ip: origin.ip, device, mailCode: sent.mailCode })
  await countTry(ctx, guess)
  const user = await users.findUserByEmail(ctx.db, email)
  const isRight = await passwordMatches(sent.password, user?.passwordHash ?? null)
  if (!isRight || user === null || user.disabledAt !== null) return refuse(ctx, user, request)
  const needed = await factorNeeded(ctx, user)
  if (needed !== null && sent.code === undefined && sent.passkey === undefined) {
    // Not forgotten, or a guesser of codes would ask without one in between.
    await uncountTry(ctx, guess)
    const passkeyOptions = needed.hasPasskeys ? await offerFactor(ctx, user.id) : null
    return { kind: 'code_needed', passkeyOptions, hasApp: needed.hasApp }
  }
  const by = needed === null ? 'password' : await proveFactor(ctx, user, sent)
  if (by === null) return refuse(ctx, user, request)
  const session = await enter(ctx, user, request, by)
  await purgeTries(ctx, guess)
  if (sent.mailCode !== undefined) {
    await endWait(ctx, { email, ip: origin.ip })
    await spendCodes(ctx, user.id)
  }
  return { kind: 'signed_in', session }
}

/** A passkey alone is two factors: it asked its owner for a finger, a face or a PIN. */
export async function signInByPasskey(
  ctx: Context,
  passkey: string,
  request: SignInRequest,
): Promise<NewSession> {
  const { isRight, claimed } = await verifyPasskey(ctx, passkey, { userId: null })
  const user = claimed === null ? null : await users.findUser(ctx.db, claimed)
  if (user === null) throw refused()
  if (!isRight || user.disabledAt !== null) return refuse(ctx, user, request)
  return enter(ctx, user, request, 'passkey')
}

/** Only the sandbox's demo users sign in so: they have no password. */
export async function signInAsDemo(ctx: Context, email: string, request: SignInRequest): Promise<NewSession> {
  const user = await users.findUserByEmail(ctx.db, normaliseEmail(email))
  if (ctx.mode !== 'sandbox' || user === null || !user.isDemo || user.disabledAt !== null)
    throw notFound('This demo user')
  return enter(ctx, user, request, 'demo button')
}

/** What somebody has besides the password; null when they have nothing. */
export async function factorNeeded(
  { db }: { db: Queryable },
  user: Pick<users.ConsoleUser, 'id' | 'totpConfirmedAt'>,
): Promise<{ hasApp: boolean; hasPasskeys: boolean } | null> {
  const hasApp = user.totpConfirmedAt !== null
  const hasPasskeys = (await listPasskeys(db, user.id)).length > 0
  return hasApp || hasPasskeys ? { hasApp, hasPasskeys } : null
}

async function proveFactor(
  ctx: Context,
  user: users.ConsoleUser,
  { code = '', passkey }: SignIn,
): Promise<WayIn | null> {
  if (passkey === undefined) return takeCode(ctx, user, code)
  const { isRight } = await verifyPasskey(ctx, passkey, { userId: user.id })
  return isRight ? 'password and passkey' : null
}

/** A code of the app, or one of those on paper; each works once. */
async function takeCode(
  { db, vault }: Context,
  user: users.ConsoleUser,
  code: string,
): Promise<WayIn | null> {
  const { id, totpSecretSealed, totpConfirmedAt, totpLastStep } = user
  if (totpSecretSealed !== null && totpConfirmedAt !== null) {
    const step = matchTotp(vault.open(totpSecretSealed, totpPurpose(id)), code, totpLastStep)
    if (step !== null) return (await users.takeTotpStep(db, id, step)) ? 'password and app' : null
  }
  const isTaken = await users.takeRecoveryCode(db, id, hashSecret(plainTypedCode(code)))
  return isTaken ? 'password and recovery code' : null
}

export function totpPurpose(userId: string): string {
  return `totp of ${userId}`
}

async function enter(
  ctx: Context,
  user: users.ConsoleUser,
  request: SignInRequest,
  by: WayIn,
): Promise<NewSession> {
  return ctx.db.transaction(async tx => {
    const session = await openSession(tx, user.id, request, by)
    const actor = { who: { userId: user.id, email: user.email }, origin: request.origin }
    await recordAudit(
      tx,
      ctx,
      { instituteId: NO_INSTITUTE, actor },
      {
        what: 'session.started',
        about: user.id,
        after: { by, agent: request.origin.agent },
      },
    )
    return session
  })
}

/** A try at an address that nobody has is written down too: without that its answer would come sooner. */
async function refuse(
  { db }: Context,
  user: Pick<users.ConsoleUser, 'id'> | null,
  { origin }: SignInRequest,
): Promise<never> {
  await recordSignIn(db, user?.id ?? null, { origin, by: null })
  throw refused()
}

function refused(): BursarError {
  return new BursarError(
    'AUE00000',
    'What you typed does not open an account. Check the e-mail address, the password and, if you use one, the code.',
  )
}
