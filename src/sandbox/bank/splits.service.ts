import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { LinkedPart, SplitPort } from '../../providers/port.ts'
import * as store from './splits.store.ts'

/** Ids of this form wait until somebody says that the bank has looked at them; every other is verified when it is asked for. */
const WAITS = /^acc_wait/

/** What the sandbox's bank knows of the school's other bank accounts: any id of the right form is one of them. */
export function splitPort({ db }: Pick<Context, 'db'>): SplitPort {
  return {
    idLabel: 'Linked account id',
    idHelp:
      'In the sandbox any id such as acc_hostel. One that begins with acc_wait is verified by the sandbox API alone.',
    idPattern: /^acc_[A-Za-z0-9_]{1,40}$/,
    async readLinked({ instituteId, linkedId }) {
      const isVerified = (await store.readVerified(db, instituteId, linkedId)) ?? !WAITS.test(linkedId)
      return isVerified
        ? { isVerified }
        : { isVerified, problem: 'The sandbox bank has not verified this account.' }
    },
  }
}

/** Written before the payment or refund itself, so that none is ever in the books without its parts. */
export async function insertSplits(
  db: Queryable,
  of: store.SplitKey,
  parts: readonly LinkedPart[],
): Promise<void> {
  if (parts.length > 0) await store.insertSplits(db, of, parts)
}

/** Somebody says what the bank has found. */
export async function decideLinked(
  { db }: Pick<Context, 'db'>,
  linked: { instituteId: number; linkedId: string; isVerified: boolean },
): Promise<void> {
  await store.writeVerified(db, linked)
}
