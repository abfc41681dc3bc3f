import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { expandScopes, SCOPES, type ScopeName } from '../../institutes/institutes.rules.ts'
import { by } from '../../platform/db/sorted-list.ts'

const KEY_STATES = ['active', 'revoked'] as const
const STATE = `case when k.revoked_at is null then 'active' else 'revoked' end`

type ListedKey = { scopes: readonly ScopeName[] }
const out = outputOf<ListedKey>()

/** What a key is, whether it is listed or made. */
export const keyFields = {
  key_id: out.text('Id of the key, the user name of Basic authentication.', 'key_test_demo'),
  label: out.text('What it is for.', 'Fee module'),
  scopes: out.texts(`What it may do: ${SCOPES.join(', ')}.`, [...SCOPES], ({ scopes }) =>
    expandScopes(scopes),
  ),
}

/** API keys of an institute, the newest first, with those that were revoked. */
export const keyList = defineList({
  file: 'api-keys',
  title: 'API keys',
  noun: ['key', 'keys'],
  columns: {
    key_id: column(keyFields.key_id, { sql: 'k.key_id', title: 'Key id', only: 'file' }),
    label: column(keyFields.label, { sql: 'k.label', title: 'Key', sort: by.name }),
    scopes: column(keyFields.scopes, {
      sql: 'k.scopes',
      title: 'Scopes',
      cell: ({ scopes }: ListedKey) => expandScopes(scopes).join(', '),
    }),
    rate_per_second: column(out.optional.integer('Requests a second; absent: the standard.', 100), {
      sql: 'k.rate_per_second',
      title: 'Limit',
    }),
    burst: column(out.optional.integer('Requests at once; absent: the standard.', 200), {
      sql: 'k.burst',
      title: 'At once',
      only: 'file',
    }),
    created_at: column(out.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'), {
      sql: 'k.created_at',
      title: 'Made (IST)',
      sort: by.moment,
    }),
    last_used_at: column(
      out.optional.moment('When it was last used, to the minute, UTC.', '2026-11-15T04:40:00.000Z'),
      { sql: 'k.last_used_at', title: 'Last used (IST)', sort: by.moment },
    ),
    state: column(out.oneOf(KEY_STATES, 'Whether it works.'), { sql: STATE, title: 'State', sort: by.text }),
    revoked_at: column(
      out.optional.moment('Present only on a key that was ended.', '2026-11-20T06:00:00.000Z'),
      { sql: 'k.revoked_at', title: 'Revoked (IST)', sort: by.moment },
    ),
  },
  onPage: ['label', 'scopes', 'rate_per_second', 'last_used_at', 'state'],
  filters: {
    state: filter(field.oneOf(KEY_STATES, 'Only in this state.'), { label: 'State', where: `${STATE} = $1` }),
  },
  rows: {
    from: 'api_keys k',
    scope: ({ id }: { id: number }) => [['k.institute_id = $1', id]],
    order: ['created_at', 'key_id'],
    direction: 'desc',
    rowOf: cursor => ['k.key_id = $1', cursor],
  },
})

export type KeyAnswer = Shown<typeof keyList.output>
