import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { badField, BursarError, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { hashSecret, newSecret } from '../../platform/secrets.ts'
import type { OnBehalf } from '../auth/on-behalf.ts'
import { enterInstitute } from '../auth/sessions.service.ts'
import { lockUser } from '../auth/users.store.ts'
import type { ConsoleRole, Who } from '../console.rules.ts'
import { prove } from '../team/account.service.ts'
import { MOST_TOKENS, readToken, scopesFor, type TokenScope, writeToken } from './tokens.rules.ts'
import * as store from './tokens.store.ts'

export type { PersonalToken } from './tokens.store.ts'

/** When a token was last used is a courtesy. */
const SEEN_EVERY_MS = 60_000

type TokenOwner = { institute: Institute; who: Who; role: ConsoleRole }
type NewToken = {
  name: string
  scopes: readonly TokenScope[]
  days: number
  password?: string | undefined
}
export type CreatedToken = store.PersonalToken & { token: string }

export async function listTokens(
  { db }: Context,
  { institute, who }: TokenOwner,
): Promise<store.PersonalToken[]> {
  return store.listTokens(db, { instituteId: institute.id, userId: who.userId })
}

/** The token itself is returned here and nowhere else, ever. */
export async function createToken(
  ctx: Context,
  command: Command<CreatedToken>,
  { institute, who, role }: TokenOwner,
  { name, scopes, days, password }: NewToken,
): Promise<CreatedToken> {
  const allowed = scopesFor(role).map(({ scope }) => scope)
  const beyond = scopes.filter(scope => !allowed.includes(scope))
  if (beyond.length > 0)
    throw badField('scopes', `may not have ${beyond.join(', ')}: your role here is ${role}`)
  await prove(ctx, who, { password })
  const secret = newSecret()
  return transact(ctx.db, command, async tx => {
    await lockUser(tx, who.userId)
    const owner = { instituteId: institute.id, userId: who.userId }
    if ((await store.listTokens(tx, owner)).length >= MOST_TOKENS)
      throw conflict(`You have ${MOST_TOKENS} tokens here. End one that you do not use any more first.`)
    const createdAt = new Date()
    const token = {
      id: newId('tok'),
      name,
      scopes: [...new Set(scopes)],
      createdAt,
      expiresAt: new Date(createdAt.getTime() + days * DAY_MS),
      lastUsedAt: null,
    }
    await store.insertToken(tx, { ...token, ...owner, secretHash: hashSecret(secret) })
    return { ...token, token: writeToken(institute.code, secret) }
  })
}

export async function revokeToken(
  { db }: Context,
  command: Command<store.PersonalToken>,
  { institute, who }: TokenOwner,
  id: string,
): Promise<store.PersonalToken> {
  return transact(db, command, async tx => {
    const revoked = await store.revokeToken(tx, { instituteId: institute.id, userId: who.userId }, id)
    if (revoked === null) throw notFound('This token')
    return revoked
  })
}

type TokenBearer = OnBehalf & { tokenId: string; scopes: readonly TokenScope[] }

/** Whoever the token stands for, with the role that they have at this moment. Like sessions, tokens run on real time. */
export async function bearerOf(ctx: Context, text: string): Promise<TokenBearer> {
  const sent = readToken(text)
  const institute = sent && (await findInstitute(ctx, sent.code))
  const found = sent && institute && (await store.findHolder(ctx.db, institute.id, hashSecret(sent.secret)))
  if (!found || !institute) throw unknownToken()
  const who = {
    sessionId: found.id,
    userId: found.userId,
    email: found.email,
    name: found.userName,
    isOperator: found.isOperator,
    csrf: '',
    isMissingFactor: found.isMissingFactor,
    token: found.name,
  }
  const entered = await enterInstitute(ctx, who, institute.code).catch((error: unknown) => {
    throw error instanceof BursarError && error.code === 'HUE00001' ? unknownToken() : error
  })
  if (Date.now() - (found.lastUsedAt?.getTime() ?? 0) >= SEEN_EVERY_MS)
    await store.touchToken(ctx.db, institute.id, found.id).catch(() => undefined)
  return { ...entered, who, tokenId: found.id, scopes: found.scopes }
}

function unknownToken(): BursarError {
  return new BursarError(
    'AUE00000',
    'This personal token is unknown, was ended or has expired, or its person does not work here any more. Make a new one in the console.',
  )
}
