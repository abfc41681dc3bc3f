import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { OpenSession } from '../auth/sessions.service.ts'
import { WAYS_IN, type SignInRow, type WayIn } from '../auth/history/sign-ins.service.ts'
import type { Passkey } from '../auth/second-factor/second-factor.service.ts'
import type { Account, TotpStart } from './account.service.ts'
import type { AddedPasskey } from './passkeys.service.ts'

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
