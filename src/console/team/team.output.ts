import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ROLES } from '../console.rules.ts'
import type { Requirement } from '../auth/second-factor/second-factor.service.ts'
import type { Invited, Member, OpenInvitation, Team } from './team.service.ts'

const WHEN = '2026-11-15T04:32:10.000Z'

const member = outputOf<Member>()
const memberOutput = member.object({
  user_id: member.text('Id of the person.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da'),
  email: member.text('Their address.', 'asha@example.in'),
  name: member.text('Their name.', 'Asha Rao'),
  role: member.oneOf(ROLES, 'What they may do here.'),
  joined_at: member.moment('Since when, UTC.', WHEN),
  last_seen_at: member.optional.moment('When they were last here, UTC.', WHEN),
  has_factor: member.flag('Whether they sign in with a second factor: an app or a passkey.', true),
  is_disabled: member.flag('Whether the operator has shut them out.', false),
})

const invited = outputOf<Invited>()
const invitedFields = {
  id: invited.text('Id of the invitation.', 'invite_01k9zq4m0ve8sbn6yt2hw3c5da'),
  email: invited.text('Whom it goes to.', 'meera@example.in'),
  role: invited.oneOf(ROLES, 'As what.'),
  expires_at: invited.moment('Until when it works, UTC.', WHEN),
}
export const invitedOutput = invited.object(invitedFields)

const open = outputOf<OpenInvitation>()
const openInvitationOutput = open.object({
  ...invitedFields,
  invited_by: open.text('Who sent it.', 'owner@example.in'),
  sent_at: open.moment('When, UTC.', WHEN, ({ createdAt }) => createdAt),
})

const requirement = outputOf<Requirement>()
const requirementOutput = requirement.object({
  by_institute: requirement.flag('The institute requires one.', false),
  by_operator: requirement.flag('The operator requires one of everybody.', false),
})

const team = outputOf<Team>()
export const teamOutput = team.object({
  members: team.list('Everybody who works in this institute.', memberOutput),
  invitations: team.list('Those not yet accepted.', openInvitationOutput),
  second_factor: team.one(
    'Whether everybody here needs a second factor.',
    requirementOutput,
    one => one.requirement,
  ),
})

export type TeamAnswer = Shown<typeof teamOutput>
export type InvitedAnswer = Shown<typeof invitedOutput>
