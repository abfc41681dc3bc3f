import { field, input, ifSent } from '../../http/wire/input.ts'
import { ROLES } from '../console.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Requirement, Passkey } from '../auth/second-factor/second-factor.service.ts'
import type { SentInvitation, Member, OpenInvitation, Team } from './team.service.ts'
import { passkeyField, passwordField, personName } from '../auth/session.schemas.ts'
import { type OpenSession, WAYS_IN, type SignInRow, type WayIn } from '../auth/sessions.service.ts'
import type { Account, TotpStart, AddedPasskey } from './account.service.ts'

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

const invited = outputOf<SentInvitation>()
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

const password = ifSent(passwordField('The present password; required of everybody who has one.'))

export const renameInput = input({ name: personName })
export const passwordInput = input({ password, new_password: passwordField('At least 12 characters.') })
export const proofInput = input({ password })
export const codeInput = input({ code: field.text('Six digits of the app.', '123456', 40) })
const passkeyName = field.text('What its owner calls it.', 'My phone', 60)
export const passkeyInput = input({ name: passkeyName, passkey: passkeyField })
export const passkeyNameInput = input({ name: passkeyName })
export const passkeyParams = input({
  passkey_id: field.resourceId('Id of the passkey.', 'pkey_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
export const sessionParams = input({
  session_id: field.resourceId('Id of the session.', 'sess_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const passkey = outputOf<Passkey>()
const passkeyOutput = passkey.object({
  id: passkey.text('Id of the passkey.', 'pkey_01k9zq4m0ve8sbn6yt2hw3c5da'),
  name: passkey.text('What its owner calls it.', 'My phone'),
  added_at: passkey.moment('When it was added, UTC.', '2026-11-15T04:32:10.000Z', row => row.createdAt),
  last_used_at: passkey.optional.moment('When it last signed in, UTC.', '2026-11-15T05:10:00.000Z'),
})

const out = outputOf<Account>()
export const accountOutput = out.object({
  email: out.text('The address to sign in with.', 'asha@example.in'),
  name: out.text('As colleagues see it.', 'Asha Rao'),
  is_operator: out.flag('Whether they look after the installation.', false),
  has_password: out.flag('False for demo users of a sandbox.', true),
  has_totp: out.flag('Whether a code of an app is asked for at sign-in.', true),
  recovery_codes_left: out.integer('Recovery codes that have not been used.', 10),
  passkeys: out.list('Devices that sign in with a finger, a face or a PIN.', passkeyOutput),
  has_passkey_site: out.flag('False under a bare address, for which browsers have no passkeys.', true),
  is_factor_required: out.flag('Whether a second factor is required of them.', false),
})

const totp = outputOf<TotpStart>()
export const totpStartOutput = totp.object({
  secret: totp.text('To type in where the picture cannot be scanned.', 'JBSWY3DPEHPK3PXP'),
  uri: totp.text('To open in an app on the same device.', 'otpauth://totp/Bursar:asha@example.in'),
  qr_svg: totp.text('The picture to scan, as SVG.', '<svg/>'),
})

const codes = outputOf<string[]>()
export const recoveryCodesOutput = codes.object({
  recovery_codes: codes.texts('Each good once; shown this once.', ['abcd-efgh-jkmn-pqrs'], all => all),
})

const added = outputOf<AddedPasskey>()
export const addedPasskeyOutput = added.object({
  id: added.text('Id of the passkey.', 'pkey_01k9zq4m0ve8sbn6yt2hw3c5da'),
  name: added.text('What its owner calls it.', 'My phone'),
  recovery_codes: added.texts('With the first second factor; each good once, shown this once.', [
    'abcd-efgh-jkmn-pqrs',
  ]),
})

const signIn = outputOf<SignInRow>()
export const signInOutput = signIn.object({
  id: signIn.text('Id of the entry.', 'login_01k9zq4m0ve8sbn6yt2hw3c5da'),
  at: signIn.moment('When, UTC.', '2026-11-15T04:32:10.000Z'),
  ip: signIn.text('Where from.', '203.0.113.7'),
  agent: signIn.text('The browser, as it names itself.', 'Mozilla/5.0'),
  is_refused: signIn.flag('Whether it was refused.', false, row => row.by === null),
  by: signIn.optional.oneOf(WAYS_IN, 'How they got in.', row => row.by as WayIn | null),
})

const session = outputOf<OpenSession>()
export const openSessionOutput = session.object({
  id: session.text('Id of the session.', 'sess_01k9zq4m0ve8sbn6yt2hw3c5da'),
  is_this: session.flag('The one that asks.', true),
  started_at: session.moment('Of the sign-in, UTC.', '2026-11-15T04:32:10.000Z', row => row.createdAt),
  last_seen_at: session.moment('To the minute, UTC.', '2026-11-15T05:10:00.000Z'),
  ends_at: session.moment('When it ends if it is not used, UTC.', '2026-11-15T07:10:00.000Z'),
  ip: session.text('Where it was signed in from.', '203.0.113.7'),
  agent: session.text('The browser, as it names itself.', 'Mozilla/5.0'),
})

const ended = outputOf<number>()
export const endedOutput = ended.object({ ended: ended.integer('How many were ended.', 2, count => count) })

export type AccountAnswer = Shown<typeof accountOutput>
export type TotpStartAnswer = Shown<typeof totpStartOutput>
export type RecoveryCodesAnswer = Shown<typeof recoveryCodesOutput>
export type AddedPasskeyAnswer = Shown<typeof addedPasskeyOutput>
export type SignInRowAnswer = Shown<typeof signInOutput>
export type SessionRowAnswer = Shown<typeof openSessionOutput>
