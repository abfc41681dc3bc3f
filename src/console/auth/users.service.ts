import type { Institute } from '../../institutes/institutes.rules.ts'
import { requireDeskLender } from '../../loans/lenders/lenders.service.ts'
import { SECRET_PLACE } from '../../messages/messages.rules.ts'
import { queueSecretMessage } from '../../messages/messages.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { NO_INSTITUTE, recordAudit } from '../audit/audit.service.ts'
import { normaliseEmail, PASSWORD_LINK_MS, type Role } from '../console.rules.ts'
import { makeInvitation, assertOneSide } from '../team/invitations.service.ts'
import { hasPasswordLinkSince, putLenderMember, putMember } from '../team/team.store.ts'
import { endSessions } from './users.store.ts'
import { revokeAll } from '../tokens/tokens.store.ts'
import { deleteDevices } from './limits/tries.store.ts'
import { mailPerson, type MailRequest } from './limits/tries.service.ts'
import { deletePasskeysOf } from './second-factor/second-factor.store.ts'
import * as users from './users.store.ts'

export type { ListedUser } from './users.store.ts'

/** People as the operator's command line makes and ends them. */
export type NewUser = {
  email: string
  name: string
  isOperator: boolean
  member: { institute: Institute; role: Role } | null
  /** Works at the desk of this lender. */
  lender?: string | null
}

const BY_COMMAND = { instituteId: NO_INSTITUTE, actor: 'command line' } as const
const MOST_USERS = 1_000

/** Answers the link by which the person chooses a password; null when they have one already. */
export async function createUser(ctx: Context, input: NewUser): Promise<{ link: string | null }> {
  const email = normaliseEmail(input.email)
  const { lender = null } = input
  if (lender !== null) await requireDeskLender(ctx, lender)
  return ctx.db.transaction(async tx => {
    const known = await users.findUserByEmail(tx, email)
    const userId = known?.id ?? (await insert(tx, { ...input, email }))
    if (known !== null && input.isOperator && !known.isOperator) await users.makeOperator(tx, userId)
    if (input.member !== null)
      await putMember(tx, input.member.institute.id, { userId, role: input.member.role })
    if (lender !== null) await putLenderMember(tx, lender, userId)
    await assertOneSide(tx, userId)
    const after = {
      email,
      lender: lender ?? undefined,
      operator: input.isOperator,
      institute: input.member?.institute.code,
      role: input.member?.role,
    }
    await recordAudit(tx, ctx, BY_COMMAND, { what: 'user.created', about: userId, after })
    if (known !== null && known.passwordHash !== null) return { link: null }
    return makePasswordLink(tx, ctx, email)
  })
}

/** Ends every session and the password; nobody gets in before the link has been used. */
export async function resetPassword(
  ctx: Context,
  sentEmail: string,
  { dropsFactor }: { dropsFactor: boolean },
): Promise<{ link: string }> {
  const email = normaliseEmail(sentEmail)
  return ctx.db.transaction(async tx => {
    const user = await mustFind(tx, email)
    await endSessions(tx, user.id, { except: null, because: 'password reset' })
    await revokeAll(tx, user.id)
    await users.setPassword(tx, user.id, null)
    await deleteDevices(tx, user.id)
    if (dropsFactor) {
      await users.setTotpSecret(tx, user.id, null)
      await deletePasskeysOf(tx, user.id)
      await users.replaceRecoveryCodes(tx, user.id, [])
    }
    const after = { email, second_factor_dropped: dropsFactor }
    await recordAudit(tx, ctx, BY_COMMAND, { what: 'user.password.reset', about: user.id, after })
    return makePasswordLink(tx, ctx, email)
  })
}

export async function setUserDisabled(ctx: Context, sentEmail: string, isDisabled: boolean): Promise<void> {
  await ctx.db.transaction(async tx => {
    const user = await mustFind(tx, normaliseEmail(sentEmail))
    await users.setDisabled(tx, user.id, isDisabled)
    if (isDisabled) await endSessions(tx, user.id, { except: null, because: 'disabled' })
    const what = isDisabled ? 'user.disabled' : 'user.enabled'
    await recordAudit(tx, ctx, BY_COMMAND, { what, about: user.id, after: { email: user.email } })
  })
}

export async function listUsers({ db }: Context): Promise<users.ListedUser[]> {
  return users.listUsers(db, MOST_USERS)
}

/** Somebody real; the sandbox's demo operator does not count. */
export async function hasOperator({ db }: Context): Promise<boolean> {
  return users.hasOperator(db)
}

/** The sandbox's own people, without a password: nobody gets in as one of them anywhere else. */
export async function seedDemoUser(
  tx: Transaction,
  person: Pick<NewUser, 'email' | 'name' | 'isOperator' | 'member'>,
): Promise<void> {
  if ((await users.findUserByEmail(tx, person.email)) !== null) return
  const userId = await insert(tx, person, true)
  if (person.member !== null)
    await putMember(tx, person.member.institute.id, { userId, role: person.member.role })
}

export async function mailPasswordLink(ctx: Context, request: MailRequest): Promise<void> {
  await mailPerson(ctx, request, async (tx, { email, instituteId, noneSince }) => {
    if (await hasPasswordLinkSince(tx, email, noneSince)) return
    const { id, link, expiresAt } = await makePasswordLink(tx, ctx, email, { keepsEarlier: true })
    const message = {
      instituteId,
      channel: 'email',
      recipient: email,
      subject: 'Choose a new password for Bursar',
      body: [
        'Somebody, hopefully you, asked for a new password for the Bursar console. Open this link to choose one:',
        SECRET_PLACE,
        '',
        'It works once, for a day. If it was not you, ignore this mail: nothing has changed.',
      ].join('\n'),
      about: id,
      at: ctx.clock.now(),
    } as const
    await queueSecretMessage(tx, ctx, message, { text: link, until: expiresAt })
  })
}

async function makePasswordLink(
  tx: Transaction,
  ctx: Context,
  email: string,
  { keepsEarlier }: { keepsEarlier?: true } = {},
): Promise<{ id: string; link: string; expiresAt: Date }> {
  return makeInvitation(tx, ctx, {
    email,
    joins: null,
    invitedBy: 'Command line',
    lastsMs: PASSWORD_LINK_MS,
    ...(keepsEarlier === undefined ? {} : { keepsEarlier }),
  })
}

async function insert(
  tx: Transaction,
  { email, name, isOperator }: Pick<NewUser, 'email' | 'name' | 'isOperator'>,
  isDemo = false,
): Promise<string> {
  const id = newId('staff')
  await users.insertUser(tx, { id, email, name, isOperator, isDemo })
  return id
}

async function mustFind(tx: Transaction, email: string): Promise<users.ConsoleUser> {
  const user = await users.findUserByEmail(tx, email)
  if (user === null) throw notFound(`A user ${email}`)
  return user
}
