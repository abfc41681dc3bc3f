import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { EVERYONE, LONGEST_PASSWORD, ROLES } from '../console.rules.ts'

const email = field.email({ description: 'The e-mail address of the person.', examples: ['asha@example.in'] })
const password = (description: string) =>
  field.text({ description, examples: ['a long sentence is best'] }, LONGEST_PASSWORD)

export const SignInBody = Type.Object({
  email,
  password: password('Their password.'),
  code: Type.Optional(
    field.text({ description: 'Six digits of the app, or a recovery code.', examples: ['123456'] }, 40),
  ),
})

export const SignInView = Type.Object({
  state: shown.oneOf(['signed_in', 'code_needed'] as const, {
    description: 'Whether a code has to be sent along as well.',
  }),
})

export const ForgotBody = Type.Object({ email })

const token = field.text({ description: 'The last part of the link.', examples: ['Z0pS…'] }, 200)

export const InvitationBody = Type.Object({ token })

export const InvitationView = Type.Object({
  email: shown.text({ description: 'Whom it is for.' }),
  institute: Type.Optional(shown.text({ description: 'The institute to join, if it is for one.' })),
  role: Type.Optional(shown.oneOf(ROLES, { description: 'As what.' })),
  invited_by: shown.text({ description: 'Who made it.' }),
  expires_at: shown.moment({ description: 'Until when it works.' }),
  chooses_password: shown.flag({ description: 'Whether a password has to be chosen.' }),
  chooses_name: shown.flag({ description: 'Whether a name has to be given.' }),
})

export const AcceptBody = Type.Object({
  token,
  name: Type.Optional(field.text({ description: 'The name of the person.', examples: ['Asha Rao'] }, 100)),
  password: Type.Optional(password('The password that they choose.')),
})

export const AcceptView = Type.Object({
  state: shown.oneOf(['signed_in', 'sign_in'] as const, {
    description: 'Signed in already, or to be signed in with the password that there is.',
  }),
})

const Person = Type.Object({
  email: shown.text({ description: 'Their address.', examples: ['asha@example.in'] }),
  name: shown.text({ description: 'Their name.', examples: ['Asha Rao'] }),
})

export const SessionView = Type.Object({
  mode: shown.oneOf(['sandbox', 'live'] as const, { description: 'Whether real money moves.' }),
  now: shown.moment({ description: 'The moment by the clock that everything here runs on, UTC.' }),
  signed_in: shown.flag({ description: 'Whether somebody is.' }),
  demo_people: Type.Array(Person, { description: 'In a sandbox: whom one click signs in.' }),
  csrf: Type.Optional(shown.text({ description: 'To be sent as x-csrf with every write.' })),
  person: Type.Optional(
    Type.Object({
      id: shown.text({ description: 'Id of the person.' }),
      ...Person.properties,
      is_operator: shown.flag({ description: 'Whether they look after the installation.' }),
    }),
  ),
  institutes: Type.Optional(
    Type.Array(
      Type.Object({
        code: shown.text({ description: 'Code of the institute.', examples: ['demo-school'] }),
        name: shown.text({ description: 'Its name.', examples: ['Demo School'] }),
        role: shown.oneOf(EVERYONE, { description: 'What the person is there.' }),
      }),
    ),
  ),
})

export type SessionAnswer = Static<typeof SessionView>
export type InvitationAnswer = Static<typeof InvitationView>
