import * as store from './entry.store.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ErpContext } from '../../erp/context.ts'
import type { NamedStudent } from '../../erp/erp.rules.ts'
import { pullForInit } from '../../erp/init-student.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitute } from '../../institutes/institutes.service.ts'
import { isAllowedReturnUrl, stateAt, totalOf } from '../../orders/orders.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badField } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import { hashSecret, newSecret } from '../../platform/secrets.ts'
import type { Destination, Product } from '../sign-in/sign-in.rules.ts'
import { insertToken } from './entry.store.ts'
import { requireUser } from '../../students/users/users.service.ts'
import { listApplications } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { listPlansOf } from '../../flex/plans/plans.service.ts'
import { sumsOf } from '../../flex/rules/plan.rules.ts'
import { listDuesOrders } from '../../orders/orders.service.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { getStudent } from '../../students/students.service.ts'

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

/**
 * A parent's session, opened with a single-use token and identified by a cookie. Sign-in always creates a new secret
 * and never adopts one from the browser, which prevents session fixation.
 */
export type ParentSession = {
  institute: Institute
  registrationId: string
  /** Other users with the same phone number or e-mail address, if the parent signed in by that. */
  otherRegistrationIds: readonly string[]
  /** The user's name. */
  name: string
  /** Link back to the ERP. */
  callbackUrl: string | null
  /** CSRF token of the session's forms. */
  csrf: string
}

/** Institute and secret in one string, so that the lookup is by tenant. */
type Key = { instituteCode: string; secret: string }

function newKey(instituteCode: string): { text: string; hash: Buffer } {
  const secret = newSecret()
  return { text: `${instituteCode}.${secret}`, hash: hashSecret(secret) }
}

function readKey(text: string | undefined): Key | null {
  const [, instituteCode, secret] = /^([a-z0-9][a-z0-9-]{0,62})\.([\w-]{43})$/.exec(text ?? '') ?? []
  return instituteCode === undefined || secret === undefined ? null : { instituteCode, secret }
}

/** The institute of a cookie, even after the session has ended. */
export function instituteCodeOf(cookie: string | undefined): string | undefined {
  return readKey(cookie)?.instituteCode
}

export type EnteredSession = { cookie: string; institute: Institute; registrationId: string } & Destination

/**
 * Spends the token and opens a session in one transaction; null when the token is not valid. A previous session of the
 * browser ends only if a new one is opened.
 */
export async function enter(
  ctx: Context,
  tokenText: string | undefined,
  before: { cookie: string | undefined; callbackUrl: string | null },
): Promise<EnteredSession | null> {
  const token = readKey(tokenText)
  if (token === null) return null
  const tokenHash = hashSecret(token.secret)
  const spent = await ctx.db.transaction(async tx => {
    const spent = await store.spendToken(tx, token.instituteCode, tokenHash)
    if (spent === null) return null
    const callbackUrl = spent.callbackUrl ?? before.callbackUrl
    const opened = { ...spent, otherRegistrationIds: [], callbackUrl, tokenHash }
    const cookie = await openSession(tx, token.instituteCode, opened, before.cookie)
    return { ...spent, cookie }
  })
  if (spent === null) return null
  return { ...spent, institute: await getInstitute(ctx, token.instituteCode) }
}

/** Answers the cookie. A previous session of the browser ends. */
export async function openSession(
  tx: Transaction,
  instituteCode: string,
  session: Omit<store.NewSession, 'sessionHash'>,
  cookieBefore: string | undefined,
): Promise<string> {
  const { text: cookie, hash: sessionHash } = newKey(instituteCode)
  await store.insertSession(tx, { ...session, sessionHash })
  const old = readKey(cookieBefore)
  if (old !== null) await store.deleteSession(tx, old.instituteCode, hashSecret(old.secret))
  return cookie
}

/** Whether this browser's session was opened by the token: reloading the link is then not a replay. */
export async function isOwnToken(
  { db }: Context,
  tokenText: string | undefined,
  cookie: string | undefined,
): Promise<boolean> {
  const token = readKey(tokenText)
  const key = readKey(cookie)
  if (token === null || key === null) return false
  const session = await store.findSession(db, key.instituteCode, hashSecret(key.secret))
  return session !== null && session.tokenHash.equals(hashSecret(token.secret))
}

export async function readSession(ctx: Context, cookie: string | undefined): Promise<ParentSession | null> {
  const key = readKey(cookie)
  if (key === null) return null
  const hash = hashSecret(key.secret)
  const session = await store.findSession(ctx.db, key.instituteCode, hash)
  if (session === null) return null
  if (session.isStale) await store.markSeen(ctx.db, session.instituteId, hash)
  const { registrationId, otherRegistrationIds, name, callbackUrl } = session
  const csrf = createHmac('sha256', key.secret).update('form').digest('base64url')
  const institute = await getInstitute(ctx, key.instituteCode)
  return { institute, registrationId, otherRegistrationIds, name, callbackUrl, csrf }
}

export function isCsrf({ csrf }: ParentSession, sent: string | undefined): boolean {
  return timingSafeEqual(hashSecret(csrf), hashSecret(sent ?? ''))
}

export async function endSession({ db }: Context, cookie: string | undefined): Promise<void> {
  const key = readKey(cookie)
  if (key !== null) await store.deleteSession(db, key.instituteCode, hashSecret(key.secret))
}

/** Deletes expired tokens and sessions, one batch per call. */
export async function purgeEntries({ db }: Context, limit: number): Promise<number> {
  return store.purgeOld(db, limit)
}

/** One order, plan or loan application. */
export type StudentProduct = {
  product: Product
  id: string
  status: string
  amountPaise: Paise | null
  paidPaise: Paise | null
  createdAt: Date
}

const MOST_PRODUCTS = 200

type ProductOwner = { instituteId: number; institute: Institute; studentId: string }
type Lister = (ctx: LoanContext, target: ProductOwner) => Promise<StudentProduct[]>

const LISTERS: Record<Product, Lister> = { pay: listPay, flex: listFlex, cred: listLoans }

/** Newest first, at most MOST_PRODUCTS of each product. */
export async function listProducts(
  ctx: LoanContext,
  institute: Institute,
  studentId: string,
  wanted: Product | undefined,
): Promise<StudentProduct[]> {
  await getStudent(ctx, institute, studentId)
  const target = { instituteId: institute.id, institute, studentId }
  const listers = wanted === undefined ? Object.values(LISTERS) : [LISTERS[wanted]]
  const found = await Promise.all(listers.map(list => list(ctx, target)))
  return found.flat().toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

async function listPay(
  ctx: LoanContext,
  { instituteId, studentId }: ProductOwner,
): Promise<StudentProduct[]> {
  const orders = await listDuesOrders(ctx, instituteId, studentId, MOST_PRODUCTS)
  const now = ctx.clock.now()
  return orders.map(order => {
    const state = stateAt(order, now)
    const isPaid = state === 'paid'
    return {
      product: 'pay',
      id: order.id,
      status: isPaid || state === 'unpaid' ? state : 'closed',
      amountPaise: totalOf(order),
      paidPaise: isPaid ? totalOf(order) : ZERO,
      createdAt: order.createdAt,
    }
  })
}

async function listFlex(
  ctx: LoanContext,
  { instituteId, studentId }: ProductOwner,
): Promise<StudentProduct[]> {
  const files = await listPlansOf(ctx, instituteId, studentId, MOST_PRODUCTS)
  return files.map(file => {
    const { totalPaise, paidPaise } = sumsOf(file)
    const { id, state, createdAt } = file.plan
    return { product: 'flex', id, status: state, amountPaise: totalPaise, paidPaise, createdAt }
  })
}

async function listLoans(
  ctx: LoanContext,
  { institute, studentId }: ProductOwner,
): Promise<StudentProduct[]> {
  const { rows: applications } = await listApplications(
    ctx,
    institute,
    { studentId },
    { limit: MOST_PRODUCTS },
  )
  return applications.map(({ id, state, amountPaise, createdAt }) => {
    return { product: 'cred', id, status: state, amountPaise, paidPaise: null, createdAt }
  })
}
