import { DAY_MS } from '../../../platform/calendar.ts'
import type { Context } from '../../../platform/context.ts'
import type { Queryable } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/ids.ts'
import type { Origin, Who } from '../../console.rules.ts'
import * as store from './sign-ins.store.ts'

export type { SignInRow } from './sign-ins.store.ts'

/** How somebody got in. */
export const WAYS_IN = [
  'password',
  'password and app',
  'password and recovery code',
  'password and passkey',
  'passkey',
  'one-time link',
  'demo button',
] as const
export type WayIn = (typeof WAYS_IN)[number]

const AGENT_LENGTH = 300
const MOST_SHOWN = 50
const KEPT_MS = 90 * DAY_MS
const NOBODYS_KEPT_MS = 2 * DAY_MS

export async function recordSignIn(
  db: Queryable,
  userId: string | null,
  { origin, by }: { origin: Origin; by: WayIn | null },
): Promise<void> {
  const agent = origin.agent.slice(0, AGENT_LENGTH)
  await store.insertSignIn(db, { id: newId('login'), userId, ip: origin.ip, agent, by })
}

/** Newest first, the refused ones too. */
export async function listSignIns({ db }: Context, who: Who): Promise<store.SignInRow[]> {
  return store.listSignIns(db, who.userId, MOST_SHOWN)
}

export async function purgeSignIns(db: Queryable, limit: number): Promise<number> {
  const now = Date.now()
  const before = { anybodys: new Date(now - KEPT_MS), nobodys: new Date(now - NOBODYS_KEPT_MS) }
  return store.deleteOldSignIns(db, before, limit)
}
