import { BursarError, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { hashSecret } from '../../platform/secrets.ts'
import { NO_INSTITUTE, recordAudit } from '../audit/audit.service.ts'
import { normaliseEmail, type Origin, type Who } from '../console.rules.ts'
import { passwordMatches } from './passwords.ts'
import { openSession, type NewSession } from './sessions.service.ts'
import { matchTotp, plainTypedCode } from './totp.ts'
import { recognise, spendCodes } from './limits/known.service.ts'
import { countTry, endWait, purgeTries, takeBackTry } from './limits/tries.service.ts'
import * as users from './users.store.ts'

export type SignIn = {
  email: string
  password: string
  code?: string | undefined
  mailCode?: string | undefined
}
export type SignedIn = { kind: 'signed_in'; session: NewSession } | { kind: 'code_needed' }

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
  if (!isRight || user === null || user.disabledAt !== null) throw refused()
  if (user.totpConfirmedAt !== null) {
    if (sent.code === undefined) {
      // Not forgotten, or a guesser of codes would ask without one in between.
      await takeBackTry(ctx, guess)
      return { kind: 'code_needed' }
    }
    if (!(await takeCode(ctx, user, sent.code))) throw refused()
  }
  const session = await enter(ctx, user, request, sent.code === undefined ? 'password' : 'password and code')
  await purgeTries(ctx, guess)
  if (sent.mailCode !== undefined) {
    await endWait(ctx, { email, ip: origin.ip })
    await spendCodes(ctx, user.id)
  }
  return { kind: 'signed_in', session }
}

/** For the sandbox's demo users alone, who have no password. */
export async function signInAsDemo(ctx: Context, email: string, request: SignInRequest): Promise<NewSession> {
  const user = await users.findUserByEmail(ctx.db, normaliseEmail(email))
  if (ctx.mode !== 'sandbox' || user === null || !user.isDemo || user.disabledAt !== null)
    throw notFound('This demo user')
  return enter(ctx, user, request, 'demo button')
}

/** A code of the app, or one of those on paper; each works once. */
async function takeCode({ db, vault }: Context, user: users.ConsoleUser, code: string): Promise<boolean> {
  if (user.totpSecretSealed === null) return false
  const step = matchTotp(vault.open(user.totpSecretSealed, totpPurpose(user.id)), code, user.totpLastStep)
  if (step !== null) return users.takeTotpStep(db, user.id, step)
  return users.takeRecoveryCode(db, user.id, hashSecret(plainTypedCode(code)))
}

export function totpPurpose(userId: string): string {
  return `totp of ${userId}`
}

async function enter(
  ctx: Context,
  user: users.ConsoleUser,
  request: SignInRequest,
  by: string,
): Promise<NewSession> {
  return ctx.db.transaction(async tx => {
    const session = await openSession(tx, user.id, request)
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

function refused(): BursarError {
  return new BursarError(
    'AUE00000',
    'What you typed does not open an account. Check the e-mail address, the password and, if you use one, the code.',
  )
}
