import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './users.store.ts'

export { findFamilies, linkUsers } from './users.store.ts'

export type Person = { name: string; phone: string; email: string }

export type RegisteredUser = { registrationId: string; isNew: boolean }

/** A user of this phone and e-mail: the oldest there is, else a new one with a registration id of ours. */
export async function registerUser(
  ctx: Context,
  command: Command<RegisteredUser>,
  institute: Institute,
  person: Person,
): Promise<RegisteredUser> {
  return transact(ctx.db, command, tx => findOrMakeUser(tx, institute.id, person, ctx.clock.now()))
}

/**
 * No constraint can keep two users of one contact apart, because Register Student makes the user that it names, also
 * when others share phone and e-mail. So a lookup of a contact holds it until the commit.
 */
export async function findOrMakeUser(
  tx: Transaction,
  instituteId: number,
  person: Person,
  now: Date,
): Promise<RegisteredUser> {
  await store.lockContact(tx, instituteId, person)
  const known = await store.findByContact(tx, instituteId, person)
  if (known !== null) return { registrationId: known, isNew: false }
  const id = newId('user')
  await store.ensureUsers(tx, instituteId, [{ ...person, id, registrationId: id }], now)
  return { registrationId: id, isNew: true }
}
