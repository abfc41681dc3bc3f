import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { webhookFields } from '../../webhooks/subscriptions/subscription.schemas.ts'
import {
  SUBSCRIPTION_COLUMNS,
  type Subscription,
} from '../../webhooks/subscriptions/subscriptions.service.ts'
import { healthOf, WEBHOOK_HEALTH } from './developers.rules.ts'

const { id, event_code, url, created_at, ...others } = webhookFields
const out = outputOf<Subscription>()

/** Webhooks, the newest first, with what is on its way to each and what was given up. */
export const webhookList = defineList({
  file: 'webhooks',
  title: 'Webhooks',
  noun: ['webhook', 'webhooks'],
  columns: {
    id: column(id, { title: 'Webhook', only: 'file' }),
    event_code: column(event_code, { title: 'Event', sort: by.text }),
    url: column(url, { title: 'Goes to', sort: by.text }),
    collector_code: column(out.text('The branch.', 'MAIN'), { title: 'Branch', sort: by.text }),
    // Receivers live in real time.
    health: column(
      out.oneOf(WEBHOOK_HEALTH, 'How it fares.', one => healthOf(one, new Date())),
      { title: 'Health' },
    ),
    waiting: column(out.integer('Deliveries that are due or will be tried again.', 3), {
      title: 'Waiting',
      sort: by.number,
    }),
    given_up: column(out.integer('Deliveries that nobody tries any more.', 0), {
      title: 'Given up',
      sort: by.number,
    }),
    created_at: column(created_at, { title: 'Added (IST)', sort: by.moment }),
    header_key: out.optional.text('The name of the header that goes with them.', 'X-Api-Key'),
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
