import { BursarError, conflict, notFound } from '../platform/errors.ts'

/** What a person may do in an institute. An operator looks after the installation and stands beside all of them. */
export const ROLES = ['owner', 'finance', 'cashier', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]
export type ConsoleRole = Role | 'operator'
/** People of a lender: they see its applications, whatever the institute, and nothing else. */
export const LENDER_ROLE = 'lender'

/** Who may look at money and students: everybody but cashiers, who see no reports. */
export const EVERYONE: readonly ConsoleRole[] = ['owner', 'finance', 'developer', 'viewer', 'operator']
/** Who sees what the counter needs: whom money is taken for, what is owed, the receipt, the cash book. */
export const AT_COUNTER: readonly ConsoleRole[] = [...EVERYONE, 'cashier']
/** Who takes money there and closes a drawer. */
export const TAKERS: readonly ConsoleRole[] = ['owner', 'finance', 'cashier']
/** Who decides who else gets access. */
export const KEEPERS: readonly ConsoleRole[] = ['owner', 'operator']

/** Who is signed in. */
export type Who = {
  sessionId: string
  userId: string
  email: string
  name: string
  isOperator: boolean
  csrf: string
  /** A second factor is required of them and they have none: they can set one up, and nothing else. */
  isMissingFactor: boolean
  /** The name of the personal token by which an assistant acts for them. */
  token?: string
}

/** Where a request came from. */
export type Origin = { ip: string; agent: string; requestId: string }

/** A member's role counts before the operator's: a person who is both has the member's role there. */
export function roleIn(who: { isOperator: boolean }, membership: Role | null): ConsoleRole | null {
  return membership ?? (who.isOperator ? 'operator' : null)
}

export function requireRole(role: ConsoleRole, allowed: readonly ConsoleRole[]): void {
  if (allowed.includes(role)) return
  throw new BursarError(
    'AUE00001',
    `Your role here is ${role}. This takes the role ${allowed.join(' or ')}; ask an owner for it.`,
  )
}

export function requireOperator({ isOperator }: { isOperator: boolean }): void {
  if (isOperator) return
  throw new BursarError('AUE00001', 'This is for the operator of the installation.')
}

export function requireFactor({ isMissingFactor }: Pick<Who, 'isMissingFactor'>): void {
  if (!isMissingFactor) return
  throw new BursarError(
    'AUE00001',
    'A second factor is required here. Set up a passkey or an authenticator app first, on the page of your account.',
  )
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A session that nobody uses ends; one in use ends as well, once it is a day old. */
export const SESSION_IDLE_MS = 2 * HOUR_MS
export const SESSION_LIMIT_MS = 24 * HOUR_MS
export const INVITATION_MS = 7 * 24 * HOUR_MS
export const PASSWORD_LINK_MS = 24 * HOUR_MS
export const UNLOCK_CODE_MS = HOUR_MS
/** Anybody can cause such a mail, so the next one waits; what the first one holds is good for longer. */
export const MAIL_GAP_MS = 10 * MINUTE_MS

/** Until when a session lasts if nobody uses it any more. */
export function sessionEnd(session: { createdAt: Date; lastSeenAt: Date }): Date {
  return new Date(
    Math.min(session.lastSeenAt.getTime() + SESSION_IDLE_MS, session.createdAt.getTime() + SESSION_LIMIT_MS),
  )
}

export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase()
}

type Colleague = { userId: string; email: string; role: Role; isDisabled: boolean }

/** The member that is to change; an institute always keeps somebody who can let others in. */
export function changeable(members: readonly Colleague[], userId: string, after: Role | null): Colleague {
  const member = members.find(one => one.userId === userId)
  if (member === undefined) throw notFound('This member')
  const isOwnerLeft = members.some(
    one => one.role === 'owner' && !one.isDisabled && (one.userId !== userId || after === 'owner'),
  )
  if (member.role === 'owner' && !isOwnerLeft)
    throw conflict('This is the last owner. Make somebody else an owner first.')
  return member
}
