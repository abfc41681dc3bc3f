import { field, input } from '../../http/wire/input.ts'
import { ROLES } from '../console.rules.ts'

const role = field.oneOf(ROLES, 'What they may do.', 'finance')
const reason = field.text('Why; stands in the audit log.', 'Left the school')

export const invitationInput = input({
  email: field.email('Whom to invite.', 'meera@example.in'),
  role,
})
export const roleInput = input({ role, reason })
export const requirementInput = input({
  required: field.flag('Whether everybody needs a second factor to sign in.', false),
  reason,
})
export const reasonInput = input({ reason })
export const memberParams = input({
  user_id: field.resourceId('Id of the person.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
export const invitationParams = input({
  invitation_id: field.resourceId('Id of the invitation.', 'invite_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
