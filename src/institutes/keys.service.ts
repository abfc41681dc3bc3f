import { conflict, notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { hashSecret, newSecret, secretMatches } from '../platform/secrets.ts'
import {
  type Caller,
  type Institute,
  expandScopes,
  requireGrantable,
  type Scope,
  type ScopeName,
} from './institutes.rules.ts'
import { getInstitute, refuseIfLeft } from './institutes.service.ts'
import { lockInstitute } from './institutes.store.ts'
import * as store from './keys.store.ts'

export type ApiKey = Omit<store.ApiKey, 'scopes'> & { scopes: readonly Scope[] }

export type NewKey = {
  label: string
  scopes: readonly ScopeName[]
  ratePerSecond?: number | null | undefined
  burst?: number | null | undefined
  /** Only for the published credentials of the sandbox. */
  fixed?: { keyId: string; secret: string }
}

export type IssuedKey = { keyId: string; secret: string; label: string; scopes: readonly Scope[] }

/** Two, so that a new key can be rolled out while the old one still works. */
const ACTIVE_PER_LABEL = 2

export async function createKey(ctx: Context, instituteCode: string, input: NewKey): Promise<IssuedKey> {
  const institute = await getInstitute(ctx, instituteCode)
  return issueKey(ctx, { instituteId: institute.id }, institute, input)
}

/** The secret is returned here and nowhere else, ever. */
export async function issueKey(
  ctx: Context,
  command: Command<IssuedKey>,
  institute: Institute,
  input: NewKey,
): Promise<IssuedKey> {
  const keyId = input.fixed?.keyId ?? newId(ctx.mode === 'live' ? 'key_live' : 'key_test')
  const secret = input.fixed?.secret ?? newSecret()
  const scopes = expandScopes(input.scopes)
  return transact(ctx.db, command, async tx => {
    await lockInstitute(tx, institute.id)
    const active = await store.countActiveKeys(tx, institute.id, input.label)
    if (active >= ACTIVE_PER_LABEL) {
      throw conflict(`Two keys labelled "${input.label}" are active. Revoke one first, or use another label.`)
    }
    await store.insertKey(tx, {
      instituteId: institute.id,
      keyId,
      label: input.label,
      secretHash: hashSecret(secret),
      scopes,
      ratePerSecond: input.ratePerSecond ?? null,
      burst: input.burst ?? null,
    })
    return { keyId, secret, label: input.label, scopes }
  })
}

/** A successor with the same label, scopes and limits; the old key works on until it is revoked. */
export async function rotateKey(ctx: Context, keyId: string): Promise<IssuedKey> {
  const owner = await store.findKeyOwner(ctx.db, keyId)
  if (owner === null) throw notFound(`An active key ${keyId}`)
  return createKey(ctx, owner.instituteCode, owner)
}

/** The same for somebody who sees one institute only, and learns the successor's secret. */
export async function rotateKeyOf(
  ctx: Context,
  command: Command<IssuedKey>,
  { institute, grantable }: { institute: Institute; grantable: readonly Scope[] },
  keyId: string,
): Promise<IssuedKey> {
  const owner = await store.findKeyOwner(ctx.db, keyId)
  if (owner?.instituteCode !== institute.code) throw notFound(`An active key ${keyId}`)
  requireGrantable(expandScopes(owner.scopes), grantable)
  return issueKey(ctx, command, institute, owner)
}

export async function revokeKey({ db }: Context, keyId: string): Promise<void> {
  if ((await store.revokeKey(db, keyId)) === null) throw notFound(`An active key ${keyId}`)
}

export type RevokedKey = { keyId: string; label: string; scopes: readonly Scope[] }

export async function revokeKeyOf(
  { db }: Context,
  command: Command<RevokedKey>,
  institute: Institute,
  keyId: string,
): Promise<RevokedKey> {
  return transact(db, command, async tx => {
    const revoked = await store.revokeKey(tx, keyId, institute.id)
    if (revoked === null) throw notFound(`An active key ${keyId}`)
    return { keyId, label: revoked.label, scopes: expandScopes(revoked.scopes) }
  })
}

export async function listKeys(ctx: Context, instituteCode: string): Promise<ApiKey[]> {
  const institute = await getInstitute(ctx, instituteCode)
  const keys = await store.listKeys(ctx.db, institute.id)
  return keys.map(key => ({ ...key, scopes: expandScopes(key.scopes) }))
}

/** `isLeaving`: its school is about to move to another cell. */
export async function authenticate(
  { db, mode }: Context,
  keyId: string,
  secret: string,
): Promise<{ caller: Caller; isLeaving: boolean } | null> {
  // Test keys never open live doors, not even ones that a restored sandbox database brought along.
  if (mode === 'live' && !keyId.startsWith('key_live_')) return null
  const found = await store.findCaller(db, keyId)
  if (found === null) await refuseIfLeft(db, 'key', keyId)
  return found !== null && secretMatches(secret, found.secretHash) ? found : null
}

export async function recordKeyUse({ db }: Context, keyIds: readonly string[]): Promise<void> {
  await store.touchKeys(db, keyIds)
}
