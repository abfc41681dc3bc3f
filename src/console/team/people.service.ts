import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { conflict } from '../../platform/errors.ts'
import type { Role } from '../console.rules.ts'
import * as store from './team.store.ts'

/** Addresses of those who can act: for mails about something that waits for them. */
export async function emailsOf(
  db: Queryable,
  instituteId: number,
  roles: readonly Role[],
): Promise<string[]> {
  return store.listEmails(db, instituteId, roles)
}

export async function emailsOfLender(db: Queryable, lender: string): Promise<string[]> {
  return store.listLenderEmails(db, lender)
}

/** Who records a lender's transfers must not be the one who confirms that they arrived. */
export async function assertOneSide(tx: Transaction, userId: string): Promise<void> {
  if (await store.isOnBothSides(tx, userId))
    throw conflict('Somebody of a lender cannot work for an institute as well: use another e-mail address.')
}
