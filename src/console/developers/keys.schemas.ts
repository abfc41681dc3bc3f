import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { SCOPES } from '../../institutes/institutes.rules.ts'

/** Keys by which an ERP gets in. */
const scopes = Type.Array(shown.oneOf(SCOPES, { description: 'read or write.' }), {
  description: 'What it may do.',
})

export const KeyView = Type.Object({
  key_id: shown.text({ description: 'Id of the key, the user name of Basic authentication.' }),
  label: shown.text({ description: 'What it is for.' }),
  scopes,
  rate_per_second: Type.Optional(Type.Integer({ description: 'Requests a second; absent: the standard.' })),
  burst: Type.Optional(Type.Integer({ description: 'Requests at once; absent: the standard.' })),
  created_at: shown.moment({ description: 'When it was made, UTC.' }),
  last_used_at: Type.Optional(shown.moment({ description: 'When it was last used, to the minute, UTC.' })),
  revoked_at: Type.Optional(shown.moment({ description: 'Present only on a key that was ended.' })),
})

const MOST_REQUESTS = 1_000_000

export const NewKeyBody = Type.Object({
  label: field.code({
    description: 'What it is for; two of a label may be active.',
    examples: ['Fee module'],
  }),
  scopes: Type.Array(field.oneOf(SCOPES, { description: 'read or write.' }), {
    description: 'What it may do.',
    minItems: 1,
    maxItems: SCOPES.length,
    examples: [['read', 'write']],
  }),
  rate_per_second: Type.Optional(
    field.wholeNumber({ description: 'Requests a second; standard 1000.', examples: [100] }, [
      1,
      MOST_REQUESTS,
    ]),
  ),
  burst: Type.Optional(
    field.wholeNumber({ description: 'Requests at once; standard twice the rate.', examples: [200] }, [
      1,
      MOST_REQUESTS,
    ]),
  ),
})

export const IssuedKeyView = Type.Object({
  key_id: shown.text({ description: 'Id of the key.' }),
  label: shown.text({ description: 'What it is for.' }),
  scopes,
  secret: Type.Optional(
    shown.text({ description: 'Shown this once; absent when the same request is sent again.' }),
  ),
})

export const KeyParams = Type.Object({
  key_id: field.resourceId({ description: 'Id of the key.', examples: ['key_test_demo'] }),
})

export const RevokeBody = Type.Object({
  reason: field.text({
    description: 'Why; stands in the audit log.',
    examples: ['Replaced by a new one'],
  }),
})

export type KeyAnswer = Static<typeof KeyView>
export type IssuedKeyAnswer = Static<typeof IssuedKeyView>
