import { NO_INSTITUTE, recordAudit } from '../../audit/audit.service.ts'
import * as store from './second-factor.store.ts'
import * as webauthn from './webauthn.ts'
import type { Who } from '../../console.rules.ts'
import type { Institute } from '../../../institutes/institutes.rules.ts'
import { setSecondFactorRequired } from '../../../institutes/institutes.service.ts'
import type { Context } from '../../../platform/context.ts'
import type { Queryable } from '../../../platform/db/database.ts'
import { lockSetting, readSetting, writeSetting } from '../../../platform/db/instance-settings.ts'
import { type Command, transact } from '../../../platform/idempotency.ts'
import { hashSecret } from '../../../platform/secrets.ts'
import { randomInt } from 'node:crypto'
import { generateSecret, generateURI, verifySync } from 'otplib'

export type { Passkey } from './second-factor.store.ts'

/** What a passkey has to sign is good once, for so long. */
const CHALLENGE_MS = 5 * 60_000

type ChallengeRequest = { purpose: store.Purpose; userId: string | null }

export async function offerRegistration(
  ctx: Context,
  who: Pick<Who, 'userId' | 'email' | 'name'>,
): Promise<string> {
  const known = await store.listPasskeys(ctx.db, who.userId)
  return remember(ctx, await webauthn.newRegistration(ctx, who, known), {
    purpose: 'register',
    userId: who.userId,
  })
}

/** After the password: one of the person's own. */
export async function offerFactor(ctx: Context, userId: string): Promise<string> {
  const known = await store.listPasskeys(ctx.db, userId)
  return remember(ctx, await webauthn.newAuthentication(ctx, known), { purpose: 'factor', userId })
}

/** Asks the browser for whichever passkey it has for this site, in place of address and password. */
export async function offerSignIn(ctx: Context): Promise<string> {
  return remember(ctx, await webauthn.newAuthentication(ctx, []), { purpose: 'alone', userId: null })
}

export async function verifyRegistration(
  ctx: Context,
  userId: string,
  sent: string,
): Promise<webauthn.NewKey | null> {
  return webauthn.verifyRegistration(ctx, sent, spender(ctx, { purpose: 'register', userId }))
}

/**
 * Whether the passkey signed what was asked of it. `claimed` is whose it says it is, for the history of sign-ins; null unless it
 * spent something that we asked, so that nobody fills the history for nothing.
 */
export async function verifyPasskey(
  ctx: Context,
  sent: string,
  wanted: { userId: string | null },
): Promise<{ isRight: boolean; claimed: string | null }> {
  const credentialId = webauthn.credentialIdOf(sent)
  const passkey = credentialId === null ? null : await store.findByCredential(ctx.db, credentialId)
  const isTheirs = passkey !== null && (wanted.userId === null || passkey.userId === wanted.userId)
  if (!isTheirs) return { isRight: false, claimed: null }
  const purpose = wanted.userId === null ? 'alone' : 'factor'
  const spend = spender(ctx, { purpose, userId: wanted.userId })
  let isAsked = false
  const after = await webauthn.verifyAuthentication(ctx, sent, passkey, async challenge => {
    isAsked = await spend(challenge)
    return isAsked
  })
  const isRight =
    after !== null && (await store.countUse(ctx.db, passkey.id, { before: passkey.counter, after }))
  return { isRight, claimed: isAsked ? passkey.userId : null }
}

export async function purgeChallenges(db: Queryable, limit: number): Promise<number> {
  return store.deleteOldChallenges(db, new Date(Date.now() - CHALLENGE_MS), limit)
}

async function remember(
  { db }: Context,
  { options, challenge }: { options: string; challenge: string },
  wanted: ChallengeRequest,
): Promise<string> {
  await store.insertChallenge(db, { ...wanted, challengeHash: hashSecret(challenge) })
  return options
}

function spender({ db }: Context, wanted: ChallengeRequest): (challenge: string) => Promise<boolean> {
  return challenge => {
    const since = new Date(Date.now() - CHALLENGE_MS)
    return store.takeChallenge(db, { ...wanted, challengeHash: hashSecret(challenge) }, since)
  }
}

/** Who asks for a second factor at a school. */
export type Requirement = { byInstitute: boolean; byOperator: boolean }

export async function readRequirement(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<Requirement> {
  const [byInstitute, byOperator] = await Promise.all([
    store.isRequiredAt(db, institute.id),
    isRequiredOfAll({ db }),
  ])
  return { byInstitute, byOperator }
}

export async function isRequiredOfAll({ db }: Pick<Context, 'db'>): Promise<boolean> {
  return (await readSetting(db, 'second_factor')) === 'required'
}

export type RequirementChange = { before: boolean; after: boolean }

/** Everybody who works at the school needs one. Who has none is led to set one up first, so nobody is shut out. */
export async function requireFactorAt(
  { db }: Context,
  command: Command<RequirementChange>,
  institute: Institute,
  isRequired: boolean,
): Promise<RequirementChange> {
  return transact(db, command, async tx => {
    const before = await setSecondFactorRequired(tx, institute.id, isRequired)
    return { before, after: isRequired }
  })
}

/** Everybody who signs in to the console needs one, operators too. */
export async function requireOfAll(
  { db }: Context,
  command: Command<RequirementChange>,
  isRequired: boolean,
): Promise<RequirementChange> {
  return transact(db, command, async tx => {
    await lockSetting(tx, 'second_factor')
    const before = (await readSetting(tx, 'second_factor')) === 'required'
    await writeSetting(tx, 'second_factor', isRequired ? 'required' : 'optional')
    return { before, after: isRequired }
  })
}

/** Used by the command line, for one school or for all. */
export async function requireByCommand(
  ctx: Context,
  institute: Institute | null,
  isRequired: boolean,
): Promise<RequirementChange> {
  const instituteId = institute?.id ?? NO_INSTITUTE
  const command: Command<RequirementChange> = {
    instituteId,
    audit: (tx, change) =>
      recordAudit(
        tx,
        ctx,
        { instituteId, actor: 'command line' },
        requirementNote(institute?.code ?? 'installation', change),
      ),
  }
  return institute === null
    ? requireOfAll(ctx, command, isRequired)
    : requireFactorAt(ctx, command, institute, isRequired)
}

export function requirementNote(about: string, { before, after }: RequirementChange) {
  return {
    what: 'second_factor.requirement.changed',
    about,
    before: { required: before },
    after: { required: after },
  }
}

/** Codes of an authenticator app: six digits, thirty seconds, as every app makes them. */
const PERIOD_S = 30
const ISSUER = 'Bursar'

export function newTotpSecret(): string {
  return generateSecret({ length: 20 })
}

/** What an app reads: as text for a link, and as a picture to scan. */
export async function totpSetup(secret: string, email: string): Promise<{ uri: string; qrSvg: string }> {
  const uri = generateURI({ issuer: ISSUER, label: email, secret })
  const { toString } = await import('qrcode')
  return { uri, qrSvg: await toString(uri, { type: 'svg', margin: 2 }) }
}

/**
 * The time step whose code this is, or null. The steps before and after the present one count too, for clocks that
 * differ; none counts that is not after the last one taken.
 */
export function matchTotp(secret: string, code: string, lastStep: number | null): number | null {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const epoch = Math.floor(Date.now() / 1_000)
  const result = verifySync({ secret, token, epoch, epochTolerance: PERIOD_S })
  if (!result.valid) return null
  const step = Math.floor(epoch / PERIOD_S) + result.delta
  return lastStep !== null && step <= lastStep ? null : step
}

const CODES = 10
// Letters and digits that are taken for one another are left out.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Ten codes for the day the phone is lost, each good once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newTypedCode)
}

/** Nobody guesses it: 79 bits. */
export function newTypedCode(): string {
  return [4, 4, 4, 4].map(length => Array.from({ length }, drawLetter).join('')).join('-')
}

function drawLetter(): string {
  return ALPHABET.charAt(randomInt(ALPHABET.length))
}

/** Makes codes comparable: people leave hyphens out and type capitals. */
export function plainTypedCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, '')
}
