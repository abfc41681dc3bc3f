import { badField, BursarError, notFound, conflict } from '../../platform/errors.ts'
import type { Transaction, Queryable } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { markUrl } from '../../platform/cell-mark.rules.ts'
import { newId } from '../../platform/ids.ts'
import { eraseSecrets } from '../../messages/messages.service.ts'
import { hashSecret, newSecret } from '../../platform/secrets.ts'
import { NO_INSTITUTE, recordAudit } from '../audit/audit.service.ts'
import type { Role } from '../console.rules.ts'
import * as store from './team.store.ts'
import { findPasswordFlaw, hashPassword } from '../auth/passwords.ts'
import { openSession, type NewSession } from '../auth/sessions.service.ts'
import { endSessions } from '../auth/users.store.ts'
import { factorNeeded, type SignInRequest } from '../auth/sign-in.service.ts'
import { instituteNamesOf, putMember } from './team.store.ts'
import * as users from '../auth/users.store.ts'

type NewInvitation = {
  email: string
  /** Null for a link that only lets its reader choose a password. */
  joins: { instituteId: number; code: string; role: Role } | null
  invitedBy: string
  lastsMs: number
  /** Asked for by somebody who may be anybody: it must not end a link that is on its way to the right person. */
  keepsEarlier?: true
}

/** Replaces earlier ones of the kind unless it keeps them; the first that is used ends the others. The token stands in the link alone. */
export async function makeInvitation(
  tx: Transaction,
  ctx: Pick<Context, 'publicUrl' | 'cell'>,
  { email, joins, invitedBy, lastsMs, keepsEarlier }: NewInvitation,
): Promise<{ id: string; link: string; expiresAt: Date }> {
  const id = newId('invite')
  const token = newSecret()
  const expiresAt = new Date(Date.now() + lastsMs)
  if (keepsEarlier === undefined)
    await eraseSecrets(tx, await store.closeEarlier(tx, email, joins?.instituteId ?? null))
  await store.insertInvitation(tx, {
    id,
    tokenHash: hashSecret(token),
    email,
    instituteId: joins?.instituteId ?? null,
    role: joins?.role ?? null,
    invitedBy,
    expiresAt,
  })
  const link = markUrl(`${ctx.publicUrl}/console/join/${token}`, ctx, joins?.code ?? null)
  return { id, link, expiresAt }
}

export type InvitationFile = {
  invitation: store.Invitation
  user: users.ConsoleUser | null
  /** Whether the person who opens it has a password to choose. */
  choosesPassword: boolean
}

export async function readInvitation({ db }: Context, token: string): Promise<InvitationFile> {
  const invitation = await store.findOpen(db, hashSecret(token))
  if (invitation === null)
    throw new BursarError('HUE00001', 'This link has been used or has run out. Ask for a new one.')
  const user = await users.findUserByEmail(db, invitation.email)
  const choosesPassword = invitation.instituteId === null || user === null || user.passwordHash === null
  return { invitation, user, choosesPassword }
}

type Choice = { name?: string | undefined; password?: string | undefined }

type AcceptedInvitation = { kind: 'signed_in'; session: NewSession } | { kind: 'sign_in' }

/**
 * The reader of an address's mail may choose its password where there is none or a new one was asked for, and joins
 * the institute that the invitation names. Somebody who has a password signs in with it; the link does not stand for it.
 */
export async function acceptInvitation(
  ctx: Context,
  sent: { token: string } & Choice,
  request: SignInRequest,
): Promise<AcceptedInvitation> {
  const file = await readInvitation(ctx, sent.token)
  const { invitation, user, choosesPassword } = file
  if (user !== null && user.disabledAt !== null) throw notFound('An active account for this link')
  const chosen = choosesPassword ? await checkChoice(ctx, sent, file) : null
  const passwordHash = chosen === null ? null : await hashPassword(chosen.password)
  return ctx.db.transaction(async tx => {
    if (!(await store.closeInvitation(tx, invitation.id)))
      throw new BursarError('HUE00001', 'This link has been used or has run out. Ask for a new one.')
    const userId = user?.id ?? (await createUser(tx, invitation.email, chosen?.name ?? invitation.email))
    if (passwordHash !== null) {
      await users.setPassword(tx, userId, passwordHash)
      await endSessions(tx, userId, { except: null, because: 'password changed' })
    }
    await join(tx, ctx, { invitation, userId, request })
    const isSignedIn =
      passwordHash !== null && (user === null || (await factorNeeded({ db: tx }, user)) === null)
    const accepted: AcceptedInvitation = isSignedIn
      ? { kind: 'signed_in', session: await openSession(tx, userId, request, 'one-time link') }
      : { kind: 'sign_in' }
    const others = await store.closeEarlier(tx, invitation.email, invitation.instituteId)
    await eraseSecrets(tx, [invitation.id, ...others])
    return accepted
  })
}

async function join(
  tx: Transaction,
  ctx: Context,
  { invitation, userId, request }: { invitation: store.Invitation; userId: string; request: SignInRequest },
): Promise<void> {
  const { instituteId, role, email } = invitation
  const actor = { who: { userId, email }, origin: request.origin }
  if (instituteId === null || role === null) {
    const note = { what: 'password.set', about: userId }
    await recordAudit(tx, ctx, { instituteId: NO_INSTITUTE, actor }, note)
    return
  }
  await putMember(tx, instituteId, { userId, role })
  await assertOneSide(tx, userId)
  const note = { what: 'team.member.joined', about: userId, after: { email, role } }
  await recordAudit(tx, ctx, { instituteId, actor }, note)
}

async function checkChoice(
  { db }: Context,
  { name, password }: Choice,
  { invitation: { email, instituteName }, user }: InvitationFile,
): Promise<{ name: string; password: string }> {
  const known = user?.name ?? name
  if (known === undefined) throw badField('name', 'is required')
  if (password === undefined) throw badField('password', 'is required')
  const joined = user === null ? [] : await instituteNamesOf(db, user.id)
  const institutes = instituteName === null ? joined : [...joined, instituteName]
  const flaw = await findPasswordFlaw(password, { email, name: known, institutes })
  if (flaw !== null) throw badField('password', flaw)
  return { name: known, password }
}

async function createUser(tx: Transaction, email: string, name: string): Promise<string> {
  const id = newId('staff')
  await users.insertUser(tx, { id, email, name, isOperator: false, isDemo: false })
  return id
}

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
