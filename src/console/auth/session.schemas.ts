import { LONGEST_PASSWORD } from './passwords.rules.ts'
import type { Session } from './sessions.service.ts'
import type { FactorNeeded } from './sign-in.service.ts'
import { ROLES } from '../console.rules.ts'
import type { InvitationFile } from '../team/invitations.service.ts'
import { field, ifSent, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

const email = field.email('The e-mail address of the person.', 'asha@example.in')
const token = field.text('The last part of the link.', 'Z0pS…', 200)

export const passwordField = (description: string) =>
  field.text(description, 'a long sentence is best', LONGEST_PASSWORD)
export const personName = field.text('As colleagues see it.', 'Asha Rao', 100)

/** What `navigator.credentials` answered, as JSON; passed on to the library as it is. */
export const passkeyField = field.text('What the authenticator answered, as JSON.', '{"id":"…"}', 20_000)

export const signInInput = input({
  email,
  password: passwordField('Their password.'),
  code: ifSent(field.text('Six digits of the app, or a recovery code.', '123456', 40)),
  passkey: ifSent(passkeyField),
  mail_code: ifSent(
    field.text('Sent by mail to somebody who has to wait; it ends the wait.', 'h7kq-29rt-xw3m-8dpa', 40),
  ),
})

export const passkeyAloneInput = input({ passkey: passkeyField })

export const emailInput = input({ email })

export const tokenInput = input({ token })

export const acceptInput = input({
  token,
  name: ifSent(personName),
  password: ifSent(passwordField('The password that they choose.')),
})

/** Who is signed in, and what a link that came by mail is for. */
type State<Kind extends string> = { kind: Kind }

const signedIn = outputOf<State<'signed_in'> | FactorNeeded>()
export const signedInOutput = signedIn.object({
  state: signedIn.oneOf(['signed_in', 'code_needed'], 'Whether a code is needed too.', ({ kind }) => kind),
  passkey_options: signedIn.optional.text(
    'For `navigator.credentials.get`, as JSON: a passkey serves as well.',
    '{"challenge":"…"}',
    one => (one.kind === 'code_needed' ? one.passkeyOptions : null),
  ),
  only_passkeys: signedIn.optional.flag(
    'True where no app was set up: the code is a recovery code.',
    true,
    one => (one.kind === 'code_needed' && !one.hasApp ? true : null),
  ),
})

const offered = outputOf<string>()
export const passkeyOptionsOutput = offered.object({
  options: offered.text('For `navigator.credentials`, as JSON.', '{"challenge":"…"}', options => options),
})

const accepted = outputOf<State<'signed_in' | 'sign_in'>>()
export const acceptedOutput = accepted.object({
  state: accepted.oneOf(['signed_in', 'sign_in'], 'Signed in, or still to sign in.', ({ kind }) => kind),
})

const link = outputOf<InvitationFile>()
export const invitationOutput = link.object({
  email: link.text('Whom it is for.', 'asha@example.in', ({ invitation }) => invitation.email),
  institute: link.optional.text(
    'The institute to join, if it is for one.',
    'Demo School',
    ({ invitation }) => invitation.instituteName,
  ),
  role: link.optional.oneOf(ROLES, 'As what.', ({ invitation }) => invitation.role),
  invited_by: link.text('Who made it.', 'owner@example.in', ({ invitation }) => invitation.invitedBy),
  expires_at: link.moment(
    'Until when it works.',
    '2026-11-22T04:32:10.000Z',
    ({ invitation }) => invitation.expiresAt,
  ),
  chooses_password: link.flag('Whether a password has to be chosen.', true),
  chooses_name: link.flag('Whether a name has to be given.', true, ({ user }) => user === null),
})

type Person = { email: string; name: string }
const person = outputOf<Person>()
const personFields = {
  email: person.text('Their address.', 'asha@example.in'),
  name: person.text('Their name.', 'Asha Rao'),
}

type SignedInPerson = NonNullable<Session['person']>
const self = outputOf<SignedInPerson>()
const selfOutput = self.object({
  id: self.text('Id of the person.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da', ({ userId }) => userId),
  ...personFields,
  is_operator: self.flag('Whether they look after the installation.', false),
  is_missing_factor: self.flag('Whether they have to set up a second factor before anything else.', false),
})

const place = outputOf<NonNullable<Session['institutes']>[number]>()
const placeOutput = place.object({
  code: place.text('Code of the institute.', 'demo-school'),
  name: place.text('Its name.', 'Demo School'),
  role: place.oneOf([...ROLES, 'operator'], 'What the person is there.'),
})

const desk = outputOf<NonNullable<Session['lenders']>[number]>()
const deskOutput = desk.object({
  code: desk.text('Code of the lender.', 'sahakari'),
  title: desk.text('Its name.', 'Sahakari Bank'),
})

const out = outputOf<Session>()
export const sessionOutput = out.object({
  mode: out.oneOf(['sandbox', 'live'], 'Whether real money moves.'),
  now: out.moment('By the clock that everything here runs on, UTC.', '2026-11-15T04:32:10.000Z'),
  signed_in: out.flag('Whether somebody is.', true, session => session.person !== null),
  demo_people: out.list('In a sandbox: whom one click signs in.', person.object(personFields)),
  csrf: out.optional.text('To be sent as x-csrf with every write.', 'q1w2…', session => session.person?.csrf),
  person: out.optional.one('Who is signed in.', selfOutput),
  institutes: out.optional.list('Where they work.', placeOutput),
  lenders: out.optional.list('The lenders at whose desk they work.', deskOutput),
})

export type SessionAnswer = Shown<typeof sessionOutput>
export type InvitationAnswer = Shown<typeof invitationOutput>
