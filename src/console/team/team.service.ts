import type { Institute } from '../../institutes/institutes.rules.ts'
import { SECRET_PLACE } from '../../messages/messages.rules.ts'
import { eraseSecrets, queueSecretMessage } from '../../messages/messages.service.ts'
import { formatMoment } from '../../platform/calendar.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { INVITATION_MS, normaliseEmail, type Role, type Who, changeable } from '../console.rules.ts'
import { readRequirement, type Requirement } from '../auth/second-factor/second-factor.service.ts'
import { makeInvitation } from './invitations.service.ts'
import * as store from './team.store.ts'

export type { OpenInvitation } from './team.store.ts'
export type { Member } from './team.store.ts'

export type Team = {
  members: store.Member[]
  invitations: store.OpenInvitation[]
  requirement: Requirement
}

export async function readTeam({ db }: Context, institute: Institute): Promise<Team> {
  const [members, open, requirement] = await Promise.all([
    store.listMembers(db, institute.id),
    store.listOpen(db, institute.id),
    readRequirement({ db }, institute),
  ])
  return { members, invitations: open, requirement }
}

export type SentInvitation = { id: string; email: string; role: Role; expiresAt: Date }

/** Only the mail has the link: the person who invites never sees it and cannot use it in the other's place. */
export async function invite(
  ctx: Context,
  command: Command<SentInvitation>,
  { institute, who }: { institute: Institute; who: Who },
  { email: sentEmail, role }: { email: string; role: Role },
): Promise<SentInvitation> {
  const email = normaliseEmail(sentEmail)
  return transact(ctx.db, command, async tx => {
    const members = await store.lockMembers(tx, institute.id)
    if (members.some(member => member.email === email))
      throw conflict(`${email} is a member already. Change the role in the list instead.`)
    const { id, link, expiresAt } = await makeInvitation(tx, ctx, {
      email,
      joins: { instituteId: institute.id, code: institute.code, role },
      invitedBy: who.email,
      lastsMs: INVITATION_MS,
    })
    const message = {
      instituteId: institute.id,
      channel: 'email',
      recipient: email,
      subject: `${who.name} invites you to ${institute.name} on Bursar`,
      body: invitationText({ who, institute, role, expiresAt }),
      about: id,
      at: ctx.clock.now(),
    } as const
    await queueSecretMessage(tx, ctx, message, { text: link, until: expiresAt })
    return { id, email, role, expiresAt }
  })
}

function invitationText(mail: { who: Who; institute: Institute; role: Role; expiresAt: Date }): string {
  return [
    `${mail.who.name} (${mail.who.email}) invites you to work on the fees of ${mail.institute.name} as ${mail.role}.`,
    '',
    'Open this link to join:',
    SECRET_PLACE,
    '',
    `It works once, until ${formatMoment(mail.expiresAt)}. If you did not expect it, ignore this mail.`,
  ].join('\n')
}

export async function withdrawInvitation(
  { db }: Context,
  command: Command<{ email: string; role: Role | null }>,
  institute: Institute,
  id: string,
): Promise<{ email: string; role: Role | null }> {
  return transact(db, command, async tx => {
    const withdrawn = await store.withdraw(tx, institute.id, id)
    if (withdrawn === null) throw notFound('This invitation')
    await eraseSecrets(tx, [id])
    return withdrawn
  })
}

export type MemberChange = { userId: string; email: string; before: Role; after: Role | null }

export async function changeRole(
  { db }: Context,
  command: Command<MemberChange>,
  institute: Institute,
  { userId, role }: { userId: string; role: Role },
): Promise<MemberChange> {
  return transact(db, command, async tx => {
    const member = changeable(await store.lockMembers(tx, institute.id), userId, role)
    await store.putMember(tx, institute.id, { userId, role })
    return { userId, email: member.email, before: member.role, after: role }
  })
}

/** Takes effect with the next request: what somebody may do is looked up every time. */
export async function removeMember(
  { db }: Context,
  command: Command<MemberChange>,
  institute: Institute,
  userId: string,
): Promise<MemberChange> {
  return transact(db, command, async tx => {
    const member = changeable(await store.lockMembers(tx, institute.id), userId, null)
    await store.removeMember(tx, institute.id, userId)
    return { userId, email: member.email, before: member.role, after: null }
  })
}
