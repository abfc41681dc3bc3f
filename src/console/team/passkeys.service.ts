import { badField, badRequest, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { offerRegistration, verifyRegistration } from '../auth/second-factor/second-factor.service.ts'
import * as store from '../auth/second-factor/second-factor.store.ts'
import { hasPasskeySite } from '../auth/second-factor/webauthn.ts'
import { factorNeeded } from '../auth/sign-in.service.ts'
import type { Who } from '../console.rules.ts'
import { lockSelf, prove, renewCodes, settleRemoval, type Proof } from './account.service.ts'

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
