import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { expandScopes, SCOPES, type ScopeName } from '../../institutes/institutes.rules.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { webhookFields } from '../../webhooks/subscriptions/subscription.schemas.ts'
import {
  SUBSCRIPTION_COLUMNS,
  type Subscription,
} from '../../webhooks/subscriptions/subscriptions.service.ts'
import { healthOf, WEBHOOK_HEALTH } from './developers.rules.ts'

const KEY_STATES = ['active', 'revoked'] as const
const STATE = `case when k.revoked_at is null then 'active' else 'revoked' end`

type ListedKey = { scopes: readonly ScopeName[] }
const key = outputOf<ListedKey>()

/** What a key is, whether it is listed or made. */
export const keyFields = {
  key_id: key.text('Id of the key, the user name of Basic authentication.', 'key_test_demo'),
  label: key.text('What it is for.', 'Fee module'),
  scopes: key.texts(`What it may do: ${SCOPES.join(', ')}.`, [...SCOPES], ({ scopes }) =>
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
    rate_per_second: column(key.optional.integer('Requests a second; absent: the standard.', 100), {
      sql: 'k.rate_per_second',
      title: 'Limit',
    }),
    burst: column(key.optional.integer('Requests at once; absent: the standard.', 200), {
      sql: 'k.burst',
      title: 'At once',
      only: 'file',
    }),
    created_at: column(key.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'), {
      sql: 'k.created_at',
      title: 'Made (IST)',
      sort: by.moment,
    }),
    last_used_at: column(
      key.optional.moment('When it was last used, to the minute, UTC.', '2026-11-15T04:40:00.000Z'),
      { sql: 'k.last_used_at', title: 'Last used (IST)', sort: by.moment },
    ),
    state: column(key.oneOf(KEY_STATES, 'Whether it works.'), { sql: STATE, title: 'State', sort: by.text }),
    revoked_at: column(
      key.optional.moment('Present only on a key that was ended.', '2026-11-20T06:00:00.000Z'),
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

const { id, event_code, url, created_at, ...others } = webhookFields
const hook = outputOf<Subscription>()

/** Webhooks, the newest first, with what is on its way to each and what was given up. */
export const webhookList = defineList({
  file: 'webhooks',
  title: 'Webhooks',
  noun: ['webhook', 'webhooks'],
  columns: {
    id: column(id, { title: 'Webhook', only: 'file' }),
    event_code: column(event_code, { title: 'Event', sort: by.text }),
    url: column(url, { title: 'Goes to', sort: by.text }),
    collector_code: column(hook.text('The branch.', 'MAIN'), { title: 'Branch', sort: by.text }),
    // Receivers live in real time.
    health: column(
      hook.oneOf(WEBHOOK_HEALTH, 'How it fares.', one => healthOf(one, new Date())),
      { title: 'Health' },
    ),
    waiting: column(hook.integer('Deliveries that are due or will be tried again.', 3), {
      title: 'Waiting',
      sort: by.number,
    }),
    given_up: column(hook.integer('Deliveries that nobody tries any more.', 0), {
      title: 'Given up',
      sort: by.number,
    }),
    created_at: column(created_at, { title: 'Added (IST)', sort: by.moment }),
    header_key: hook.optional.text('The name of the header that goes with them.', 'X-Api-Key'),
    ...others,
  },
  filters: {
    collector_code: filter(field.code('Only of this branch.', 'MAIN'), {
      label: 'Branch',
      choices: 'branches',
      where: 's.collector_code = $1',
    }),
    include: filter(field.oneOf(['disabled'], 'Disabled ones too.'), {
      where: () => [],
      unsent: 's.disabled_at is null',
    }),
  },
  rows: {
    select: `${SUBSCRIPTION_COLUMNS}, coalesce(c.waiting, 0)::int as waiting, coalesce(c.given_up, 0)::int as "givenUp"`,
    from: 'webhook_subscriptions s',
    // Each is counted by its own index.
    join: `left join (select webhook_id, sum(waiting) as waiting, sum(given_up) as given_up from (
        select webhook_id, count(*) as waiting, 0 as given_up from webhook_queue
        where institute_id = $1 group by webhook_id
        union all
        select webhook_id, 0, count(*) from webhook_deliveries
        where institute_id = $1 and given_up_at is not null group by webhook_id
      ) counted group by webhook_id) c on c.webhook_id = s.id`,
    scope: ({ id: instituteId }: { id: number }) => [['s.institute_id = $1', instituteId]],
    order: ['id'],
    direction: 'desc',
  },
})

export type WebhookAnswer = Shown<typeof webhookList.output>
