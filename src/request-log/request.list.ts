import { column, defineList, filter } from '../http/lists/define-list.ts'
import { field, query, input } from '../http/wire/input.ts'
import { type Shown, outputOf } from '../http/wire/output.ts'
import { by } from '../platform/db/sorted-list.ts'
import { firstIdAt } from '../platform/ids.ts'
import { REQUESTS } from './requests.store.ts'

export const requestParams = input({
  request_id: field.resourceId('x-request-id of its answer.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const out = outputOf<LoggedRequest>()
const requestFields = {
  id: out.text('x-request-id of its answer.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'),
  at: out.moment('When it came, in real time, UTC.', '2026-11-15T04:32:10.000Z'),
  method: out.text('Such as POST.', 'POST'),
  route: out.text(
    'The pattern of its address; the values in it are not kept.',
    '/api/v1/integrations/pay/orders',
  ),
  status: out.integer('What it was answered with.', 201),
  error_code: out.optional.text('`code` of the answer, if it was an error.', 'HUE00000'),
  ms: out.number('How long it took.', 12.5, ({ ms }) => Math.round(ms * 10) / 10),
  key_id: out.text('The key that it came with.', 'key_test_01k9zq4m0ve8sbn6yt2hw3c5da'),
}
export const requestOutput = out.object('LoggedCall', requestFields)

import type { LoggedRequest } from './requests.service.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
// What went wrong has an index of its own.
const OUTCOMES = {
  answered: 'r.status < 400',
  refused: 'r.status >= 400 and r.status < 500',
  failed: 'r.status >= 400 and r.status >= 500',
}

const { id, at, method, route, status, error_code, ms, key_id } = requestFields

/** Requests with API keys of the last month, the newest first: ids sort by time and begin with their moment. */
export const requestList = defineList({
  file: 'requests',
  title: 'Requests',
  noun: ['request', 'requests'],
  columns: {
    id: column(id, { title: 'Request id' }),
    at: column(at, { title: 'When (IST)', sort: by.moment }),
    method: column(method, { title: 'Method', only: 'file' }),
    route: column(route, { title: 'Request', sort: by.text }),
    status: column(status, { title: 'Answer', kind: 'text', sort: by.number }),
    error_code: column(error_code, { title: 'Code', sort: by.text('"errorCode"') }),
    ms: column(ms, {
      title: 'Took (ms)',
      kind: 'count',
      sort: by.number('(ms * 1000)'),
      cell: (row: { ms: number }) => Math.round(row.ms * 10) / 10,
    }),
    key_id: column(key_id, { title: 'Key', sort: by.text('"keyId"') }),
  },
  onPage: ['at', 'route', 'status', 'error_code', 'ms', 'key_id', 'id'],
  filters: {
    outcome: filter(
      field.oneOf(['answered', 'refused', 'failed'], 'Status below 400, below 500, or from 500 on.'),
      { label: 'Answer', where: outcome => [OUTCOMES[outcome]] },
    ),
    method: filter(field.oneOf(METHODS, 'Only of this method.'), { label: 'Method', where: 'r.method = $1' }),
    key_id: filter(field.resourceId('Only with this key.', 'key_test_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      label: 'Key',
      where: 'r.key_id = $1',
    }),
    route: filter(
      field.text('Only of this route, as its pattern.', '/api/v1/integrations/pay/orders/:order_id'),
      { label: 'Route (pattern)', where: 'r.route = $1' },
    ),
    from: filter(field.rangeStart('From this moment, or the start of this day, on.'), {
      label: 'From',
      where: moment => ['r.id >= $1', firstIdAt('req', moment)],
    }),
    to: filter(field.rangeEnd('Before this moment, or up to the end of this day.').as('before'), {
      label: 'Up to',
      where: moment => ['r.id < $1', firstIdAt('req', moment)],
    }),
  },
  rows: {
    ...REQUESTS,
    scope: ({ id: instituteId }: { id: number }) => [['r.institute_id = $1', instituteId]],
    order: ['id'],
    direction: 'desc',
    isPurged: true,
    isLog: true,
  },
})

const { key_id: _, ...ofOneKey } = requestList.filterQuery.fields
/** The API shows requests of the key in hand. */
export const listRequestsQuery = query({
  ...ofOneKey,
  limit: field.pageSize(),
  cursor: field.cursor(id.example),
})

export type RequestAnswer = Shown<typeof requestList.output>
