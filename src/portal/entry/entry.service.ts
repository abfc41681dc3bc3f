import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { ErpContext } from '../../erp/context.ts'
import type { NamedStudent } from '../../erp/erp.rules.ts'
import { pullForInit } from '../../erp/init-student.service.ts'
import { requireUser } from '../../students/users/users.service.ts'
import { isAllowedReturnUrl } from '../../orders/return-url.rules.ts'
import type { Destination } from './entry.rules.ts'
import { insertToken } from './entry.store.ts'
import { newKey } from './sessions.service.ts'

export type AccessToken = { token: string; expiresAt: Date }

const ANYWHERE: Destination = { studentId: null, product: null, callbackUrl: null }

/** Issues a single-use sign-in token for a user. */
export async function issueToken(
  ctx: Context,
  command: Command<AccessToken>,
  institute: Institute,
  registrationId: string,
): Promise<AccessToken> {
  await requireUser(ctx, { instituteId: institute.id, registrationId })
  return transact(ctx.db, command, tx => issue(tx, institute, registrationId, ANYWHERE))
}

export type Entry = { redirectUrl: string; expiresAt: Date }

/** Hosted entry: pulls the student from the ERP and returns the URL to redirect the parent to. */
export async function openEntry(
  ctx: ErpContext,
  command: Command<Entry>,
  institute: Institute,
  asked: { named: NamedStudent } & Pick<Destination, 'product' | 'callbackUrl'>,
): Promise<Entry> {
  const { named, product, callbackUrl } = asked
  if (callbackUrl !== null && !isAllowedReturnUrl(callbackUrl, ctx.mode))
    throw badField('options.callback_url', 'must be an https URL without credentials')
  const { studentId, registrationId } = await pullForInit(ctx, institute, named)
  return transact(ctx.db, command, async tx => {
    const destination = { studentId, product, callbackUrl }
    const { token, expiresAt } = await issue(tx, institute, registrationId, destination)
    // The destination is stored with the token, so the URL neither exposes it nor allows tampering.
    const query = new URLSearchParams({ access_token: token })
    return { redirectUrl: `${ctx.publicUrl}/login-redirect?${query.toString()}`, expiresAt }
  })
}

async function issue(
  tx: Queryable,
  institute: Institute,
  registrationId: string,
  destination: Destination,
): Promise<AccessToken> {
  const { text, hash } = newKey(institute.code)
  const token = { instituteId: institute.id, tokenHash: hash, registrationId, ...destination }
  return { token: text, expiresAt: await insertToken(tx, token) }
}
