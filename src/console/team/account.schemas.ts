import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { LONGEST_PASSWORD } from '../console.rules.ts'

const presentPassword = Type.Optional(
  field.text(
    {
      description: 'The present password; required of whoever has one.',
      examples: ['a long sentence is best'],
    },
    LONGEST_PASSWORD,
  ),
)

export const AccountView = Type.Object({
  email: shown.text({ description: 'The address to sign in with.' }),
  name: shown.text({ description: 'As colleagues see it.' }),
  is_operator: shown.flag({ description: 'Whether they look after the installation.' }),
  has_password: shown.flag({ description: 'False for demo users of a sandbox.' }),
  has_totp: shown.flag({ description: 'Whether a code of an app is asked for at sign-in.' }),
  recovery_codes_left: Type.Integer({ description: 'Recovery codes that have not been used.' }),
})

export const RenameBody = Type.Object({
  name: field.text({ description: 'As colleagues see it.', examples: ['Asha Rao'] }, 100),
})

export const PasswordBody = Type.Object({
  password: presentPassword,
  new_password: field.text(
    { description: 'At least 12 characters.', examples: ['twelve blue tram tickets'] },
    LONGEST_PASSWORD,
  ),
})

export const ProofBody = Type.Object({ password: presentPassword })

export const TotpStartView = Type.Object({
  secret: shown.text({ description: 'To type in where the picture cannot be scanned.' }),
  uri: shown.text({ description: 'To open in an app on the same device.' }),
  qr_svg: shown.text({ description: 'The picture to scan, as SVG.' }),
})

export const CodeBody = Type.Object({
  code: field.text({ description: 'Six digits of the app.', examples: ['123456'] }, 40),
})

export const RecoveryCodesView = Type.Object({
  recovery_codes: Type.Array(shown.text({ description: 'One code, good once.' }), {
    description: 'Shown this once.',
  }),
})

export const SessionRowView = Type.Object({
  id: shown.text({ description: 'Id of the session.' }),
  is_this: shown.flag({ description: 'The one that asks.' }),
  started_at: shown.moment({ description: 'When it was signed in, UTC.' }),
  last_seen_at: shown.moment({ description: 'To the minute, UTC.' }),
  ends_at: shown.moment({ description: 'When it ends if it is not used, UTC.' }),
  ip: shown.text({ description: 'Where it was signed in from.' }),
  agent: shown.text({ description: 'The browser, as it names itself.' }),
})

export const SessionParams = Type.Object({
  session_id: field.resourceId({ description: 'Id of the session.' }),
})

export const EndedView = Type.Object({ ended: Type.Integer({ description: 'How many were ended.' }) })

export type AccountAnswer = Static<typeof AccountView>
export type TotpStartAnswer = Static<typeof TotpStartView>
export type RecoveryCodesAnswer = Static<typeof RecoveryCodesView>
export type SessionRowAnswer = Static<typeof SessionRowView>
