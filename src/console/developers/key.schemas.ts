import { field, ifSent, input } from '../../http/wire/input.ts'
import { SCOPE_NAMES, SCOPE_TEXTS, SCOPES, type Scope } from '../../institutes/institutes.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { ApiKey } from '../../institutes/keys.service.ts'
import type { ShownKey } from './keys.service.ts'

const MOST_REQUESTS = 1_000_000
const requests = (description: string, example: number) =>
  ifSent(field.wholeNumber(description, example, [1, MOST_REQUESTS]))

export const newKeyInput = input({
  label: field.code('What it is for; two of a label may be active.', 'Fee module'),
  scopes: field.choices('What it may do.', field.oneOf(SCOPE_NAMES, 'A scope; write: all but read.'), {
    min: 1,
  }),
  rate_per_second: requests('Requests a second; standard 1000.', 100),
  burst: requests('Requests at once; standard twice the rate.', 200),
})

export const keyParams = input({ key_id: field.resourceId('Id of the key.', 'key_test_demo') })

/** Keys by which an ERP signs its requests. */
const issued = outputOf<ShownKey>()
const common = {
  key_id: issued.text('Id of the key, the user name of Basic authentication.', 'key_test_demo'),
  label: issued.text('What it is for.', 'Fee module'),
  scopes: issued.texts(`What it may do: ${SCOPES.join(', ')}.`, [...SCOPES]),
}

export const issuedKeyOutput = issued.object({
  ...common,
  secret: issued.optional.text(
    'Shown this once; absent when the same request is sent again.',
    'secret_test_demo',
  ),
})

const key = outputOf<ApiKey>()
export const keyOutput = key.object({
  ...common,
  rate_per_second: key.optional.integer('Requests a second; absent: the standard.', 100),
  burst: key.optional.integer('Requests at once; absent: the standard.', 200),
  created_at: key.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'),
  last_used_at: key.optional.moment('When it was last used, to the minute, UTC.', '2026-11-15T04:40:00.000Z'),
  revoked_at: key.optional.moment('Present only on a key that was ended.', '2026-11-20T06:00:00.000Z'),
})

export type KeyAnswer = Shown<typeof keyOutput>
export type IssuedKeyAnswer = Shown<typeof issuedKeyOutput>

const scope = outputOf<{ scope: Scope; means: string }>()
export const scopeOutput = scope.object({
  scope: scope.text('A scope that you may give a key.', 'orders'),
  means: scope.text('What a key may do with it.', SCOPE_TEXTS.orders),
})

export type ScopeAnswer = Shown<typeof scopeOutput>
