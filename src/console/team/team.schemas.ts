import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { ROLES } from '../console.rules.ts'

const role = field.oneOf(ROLES, { description: 'What they may do.', examples: ['finance'] })
const reason = field.text({ description: 'Why; stands in the audit log.', examples: ['Left the school'] })

const MemberView = Type.Object({
  user_id: shown.text({ description: 'Id of the person.' }),
  email: shown.text({ description: 'Their address.' }),
  name: shown.text({ description: 'Their name.' }),
  role: shown.oneOf(ROLES, { description: 'What they may do here.' }),
  joined_at: shown.moment({ description: 'Since when, UTC.' }),
  last_seen_at: Type.Optional(shown.moment({ description: 'When they were last here, UTC.' })),
  has_totp: shown.flag({ description: 'Whether they sign in with a code as well.' }),
  is_disabled: shown.flag({ description: 'Whether the operator has shut them out.' }),
})

const InvitationRowView = Type.Object({
  id: shown.text({ description: 'Id of the invitation.' }),
  email: shown.text({ description: 'Whom it went to.' }),
  role: shown.oneOf(ROLES, { description: 'As what.' }),
  invited_by: shown.text({ description: 'Who sent it.' }),
  sent_at: shown.moment({ description: 'When, UTC.' }),
  expires_at: shown.moment({ description: 'Until when it works, UTC.' }),
})

export const TeamView = Type.Object({
  members: Type.Array(MemberView),
  invitations: Type.Array(InvitationRowView, { description: 'Those not yet accepted.' }),
})

export const InviteBody = Type.Object({
  email: field.email({ description: 'Whom to invite.', examples: ['meera@example.in'] }),
  role,
})

export const InvitedView = Type.Object({
  id: shown.text({ description: 'Id of the invitation.' }),
  email: shown.text({ description: 'Whom it goes to.' }),
  role: shown.oneOf(ROLES, { description: 'As what.' }),
  expires_at: shown.moment({ description: 'Until when it works, UTC.' }),
})

export const MemberParams = Type.Object({
  user_id: field.resourceId({ description: 'Id of the person.' }),
})
export const InvitationParams = Type.Object({
  invitation_id: field.resourceId({ description: 'Id of the invitation.' }),
})
export const ChangeRoleBody = Type.Object({ role, reason })
export const RemoveBody = Type.Object({ reason })

export type TeamAnswer = Static<typeof TeamView>
export type InvitedAnswer = Static<typeof InvitedView>
