import { largestOf } from '../../platform/lists.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { hashSecret, newSecret } from '../../platform/secrets.ts'
import {
  roleIn,
  SESSION_IDLE_MS,
  SESSION_LIMIT_MS,
  sessionEnd,
  type ConsoleRole,
  type Origin,
  type Who,
} from '../console.rules.ts'
import * as store from './users.store.ts'
import { purgeKnown, rememberDevice } from './limits/tries.service.ts'
import { revokeAll } from '../tokens/tokens.store.ts'
import { deleteDevices, deleteOldTries } from './limits/tries.store.ts'
import { purgeChallenges } from './second-factor/second-factor.service.ts'
import { listDemoUsers } from './users.store.ts'
import { DAY_MS } from '../../platform/calendar.ts'

/** A session as its holder gets it: the secrets go into cookies and nowhere else. */
export type NewSession = { secret: string; device: string }

const SEEN_EVERY_MS = 60_000
const AGENT_LENGTH = 300
const MOST_INSTITUTES = 500

/** Sessions, like everything by which people get in, run on real time. */
export async function identify({ db }: Context, secret: string | null): Promise<Who | null> {
  if (secret === null) return null
  const session = await store.findSession(db, hashSecret(secret))
  const now = new Date()
  if (session === null || sessionEnd(session) <= now) return null
  if (now.getTime() - session.lastSeenAt.getTime() >= SEEN_EVERY_MS)
    await store.touchSession(db, session.sessionId)
  const { sessionId, userId, email, name, isOperator, csrf, isMissingFactor } = session
  return { sessionId, userId, email, name, isOperator, csrf, isMissingFactor }
}

/** Always a new one: a session id that somebody planted before the sign-in opens nothing after it. */
export async function openSession(
  tx: Transaction,
  userId: string,
  { origin, device, replaced }: { origin: Origin; device: string | null; replaced: Who | null },
  by: WayIn,
): Promise<NewSession> {
  const secret = newSecret()
  await recordSignIn(tx, userId, { origin, by })
  await store.insertSession(tx, {
    id: newId('sess'),
    secretHash: hashSecret(secret),
    userId,
    csrf: newSecret(),
    ip: origin.ip,
    agent: origin.agent.slice(0, AGENT_LENGTH),
  })
  if (replaced !== null)
    await store.endSession(tx, { userId: replaced.userId, id: replaced.sessionId }, 'signed in again')
  return { secret, device: await rememberDevice(tx, userId, device) }
}

export async function signOut({ db }: Context, command: Command<null>, who: Who): Promise<null> {
  return transact(db, command, async tx => {
    await store.endSession(tx, { userId: who.userId, id: who.sessionId }, 'signed out')
    return null
  })
}

export type OpenSession = store.SessionRow & { isThis: boolean; endsAt: Date }

export async function listSessions({ db }: Context, who: Who): Promise<OpenSession[]> {
  const now = Date.now()
  const rows = await store.listOpenSessions(db, who.userId, {
    seen: new Date(now - SESSION_IDLE_MS),
    created: new Date(now - SESSION_LIMIT_MS),
  })
  return rows.map(row => ({ ...row, isThis: row.id === who.sessionId, endsAt: sessionEnd(row) }))
}

export async function endOwnSession(
  { db }: Context,
  command: Command<null>,
  who: Who,
  id: string,
): Promise<null> {
  return transact(db, command, async tx => {
    if (!(await store.endSession(tx, { userId: who.userId, id }, 'ended by hand')))
      throw notFound('This session')
    return null
  })
}

export async function endOtherSessions({ db }: Context, command: Command<number>, who: Who): Promise<number> {
  return transact(db, command, tx =>
    store.endSessions(tx, who.userId, { except: who.sessionId, because: 'ended by hand' }),
  )
}

/** This one too, and no browser is known any more: whoever had got hold of one is out. */
export async function signOutEverywhere(
  { db }: Context,
  command: Command<number>,
  who: Who,
): Promise<number> {
  return transact(db, command, async tx => {
    const ended = await store.endSessions(tx, who.userId, { except: null, because: 'signed out everywhere' })
    await revokeAll(tx, who.userId)
    await deleteDevices(tx, who.userId)
    return ended
  })
}

/** Where somebody is in the console: an institute that they have no part in is one that does not exist. */
export async function enterInstitute(
  ctx: Context,
  who: Who,
  code: string,
): Promise<{ institute: Institute; role: ConsoleRole }> {
  const [membership, institute] = await Promise.all([
    store.findMembership(ctx.db, who.userId, code),
    findInstitute(ctx, code),
  ])
  const role = membership === null ? null : roleIn(who, membership.role)
  if (institute === null || role === null) throw notFound('This institute')
  return { institute, role }
}

export type { OwnLender } from './users.store.ts'

/** A lender that they have no part in is one that does not exist. */
export async function enterLender({ db }: Context, who: Who, code: string): Promise<store.OwnLender> {
  const [lender] = await store.listLendersOf(db, who.userId, code)
  if (lender === undefined) throw notFound('This lender')
  return lender
}

export type Session = {
  mode: Context['mode']
  now: Date
  /** Anybody may sign in as one of them in a sandbox; live mode has none. */
  demoPeople: { email: string; name: string }[]
  /** Null when nobody is signed in. */
  person: Who | null
  institutes: { code: string; name: string; role: ConsoleRole }[] | null
  /** Lenders at whose desk they work. */
  lenders: store.OwnLender[] | null
}

/** Who is signed in, where they may go, and the token that their writes need. */
export async function readSession({ db, mode, clock }: Context, who: Who | null): Promise<Session> {
  const isIn = who !== null && !who.isMissingFactor
  const [demoPeople, institutes, lenders] = await Promise.all([
    mode === 'sandbox' ? listDemoUsers(db) : [],
    isIn ? store.listInstitutesOf(db, who, MOST_INSTITUTES) : null,
    isIn ? store.listLendersOf(db, who.userId) : null,
  ])
  return {
    mode,
    now: clock.now(),
    demoPeople,
    person: who,
    lenders,
    institutes:
      institutes && institutes.map(({ role, ...institute }) => ({ ...institute, role: role ?? 'operator' })),
  }
}

const KEPT_MS = 90 * DAY_MS
const TRIES_KEPT_MS = 2 * DAY_MS

/** Deletes sessions, lock-outs, devices, codes and sign-ins that are long over, a batch at a time. */
export async function purgeSessions({ db }: { db: Queryable }, limit: number): Promise<number> {
  const now = Date.now()
  const sessions = await store.deleteOldSessions(db, new Date(now - KEPT_MS), limit)
  const tries = await deleteOldTries(db, new Date(now - TRIES_KEPT_MS), limit)
  const others = [purgeKnown(db, limit), purgeChallenges(db, limit), purgeSignIns(db, limit)]
  return largestOf([sessions, tries, ...(await Promise.all(others))])
}

type Cookie = 'session' | 'device'

/** How long a browser keeps its device's cookie, renewed at each sign-in. */
const DEVICE_S = 180 * 86_400

/**
 * Over https the name itself keeps a page on a sibling host from planting one. Cells have one address and people of their
 * own: each has cookies of its own, so that who works in two is signed in to both.
 */
function cookieName({ publicUrl, cell }: Context, cookie: Cookie): string {
  const name = `bursar_${cell === null ? '' : `${cell}_`}${cookie}`
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name
}

export function readSessionCookie(ctx: Context, header: string | undefined): string | null {
  return readCookie(cookieName(ctx, 'session'), header)
}

export function readDeviceCookie(ctx: Context, header: string | undefined): string | null {
  return readCookie(cookieName(ctx, 'device'), header)
}

function readCookie(name: string, header = ''): string | null {
  for (const pair of header.split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && /^[\w-]{20,200}$/.test(value)) return value
  }
  return null
}

/** It lasts as long as the browser runs; the session itself says when it ends. */
export function sessionCookie(ctx: Context, secret: string | null): string {
  return writeCookie(ctx, 'session', secret ?? '', secret === null ? 0 : null)
}

/** It opens nothing. A browser that tries passwords with it is counted apart from strangers. */
export function deviceCookie(ctx: Context, secret: string): string {
  return writeCookie(ctx, 'device', secret, DEVICE_S)
}

function writeCookie(ctx: Context, cookie: Cookie, value: string, maxAgeS: number | null): string {
  const life = maxAgeS === null ? '' : `; Max-Age=${maxAgeS}`
  const secure = ctx.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(ctx, cookie)}=${value}${life}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

export type { SignInRow } from './users.store.ts'

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

const MOST_SHOWN = 50
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

async function purgeSignIns(db: Queryable, limit: number): Promise<number> {
  const now = Date.now()
  const before = { anybodys: new Date(now - KEPT_MS), nobodys: new Date(now - NOBODYS_KEPT_MS) }
  return store.deleteOldSignIns(db, before, limit)
}
