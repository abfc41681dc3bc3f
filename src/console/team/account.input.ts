import { field, ifSent, input } from '../../http/wire/input.ts'
import { passkeyField, passwordField, personName } from '../auth/session.schemas.ts'

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
