import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { countTries, uncountTries, type TrySubject } from '../../platform/db/tries.ts'
import { LIMITS, networkOf } from '../../platform/rate-limits.rules.ts'
import { hashSecret } from '../../platform/secrets.ts'
import { listByFact, type ChildFact } from '../../students/users/users.service.ts'
import { findKnown, remember } from '../sign-in/known-browsers.ts'
import * as store from './child-tries.store.ts'

/**
 * Who names a child by its admission number and a fact about it may see what is due for it and pay, for half an hour in this
 * browser. Facts can be guessed, so guesses are counted: by the network for each child, over all networks for each child, and by
 * the network. A browser that named the child before is counted by itself. A number that nobody has is counted like one that a
 * child has.
 */
export type NamedChild =
  | { kind: 'found'; pass: string; known: string }
  | { kind: 'unknown' }
  | { kind: 'wait'; seconds: number }

export async function nameChild(
  ctx: Context,
  institute: Institute,
  { fact, ip, knownCookie }: { fact: ChildFact; ip: string; knownCookie: string | undefined },
): Promise<NamedChild> {
  const child = hashSecret(`child ${(fact.identifiers[0] ?? '').toLowerCase()}`)
  const known = findKnown(ctx, institute, child, knownCookie)
  const subjects = subjectsOf(child.toString('base64url'), known, networkOf(ip))
  const table = store.childTries(institute.id)
  const until = await countTries(ctx.db, table, subjects)
  if (until !== null)
    return { kind: 'wait', seconds: Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1_000)) }
  const studentIds = await listByFact(ctx, institute.id, fact)
  if (studentIds.length === 0) return { kind: 'unknown' }
  const [own, ...shared] = subjects
  await ctx.db.transaction(tx => store.forgetTries(tx, institute.id, own.key))
  await uncountTries(ctx.db, table, shared)
  return {
    kind: 'found',
    pass: writePass(ctx, institute, studentIds),
    known: remember(ctx, institute, child, knownCookie),
  }
}

/** Always in this order, by digests: the table is no list of what strangers typed. */
function subjectsOf(child: string, known: string | null, network: string): [TrySubject, ...TrySubject[]] {
  if (known !== null) return [{ key: `browser ${digestOf(known)}`, limit: LIMITS.posterBrowser.waits }]
  const from = digestOf(network)
  return [
    { key: `${child} ${from}`, limit: LIMITS.posterChildAtNetwork.waits },
    { key: child, limit: LIMITS.posterChild.waits, isShared: true },
    { key: `network ${from}`, limit: LIMITS.posterNetwork.waits },
  ]
}

const digestOf = (text: string): string => hashSecret(text).toString('base64url')

export const PASS_MINUTES = 30
const PASS = /^([a-z0-9-]{1,63})\.([0-9a-z]{1,9})\.(student_\w{1,40}(?:~student_\w{1,40}){0,9})\.([\w-]{43})$/

function writePass(ctx: Pick<Context, 'vault'>, { code }: Institute, studentIds: readonly string[]): string {
  const until = (Math.floor(Date.now() / 60_000) + PASS_MINUTES).toString(36)
  const text = [code, until, studentIds.join('~')].join('.')
  return `${text}.${macOf(ctx, text).toString('base64url')}`
}

/** The records of the child that was named in this browser; null when none was, or too long ago. */
export function readPass(
  ctx: Pick<Context, 'vault'>,
  institute: Institute,
  cookie: string | undefined,
): string[] | null {
  const [, code, until = '', ids = '', sent = ''] = PASS.exec(cookie ?? '') ?? []
  if (code !== institute.code) return null
  const isOurs = timingSafeEqual(macOf(ctx, `${code}.${until}.${ids}`), Buffer.from(sent, 'base64url'))
  return isOurs && Number.parseInt(until, 36) * 60_000 > Date.now() ? ids.split('~') : null
}

function macOf({ vault }: Pick<Context, 'vault'>, text: string): Buffer {
  return createHmac('sha256', vault.deriveKey('passes of posters')).update(text).digest()
}

export async function purgeChildTries({ db }: Context, limit: number): Promise<number> {
  return store.purgeOld(db, limit)
}
