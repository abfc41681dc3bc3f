import { field, ifSent, input } from '../../http/wire/input.ts'
import { LONGEST_PASSWORD } from './passwords.rules.ts'

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
