import { field, input, optional, query } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import type { LoggedRequest } from './requests.service.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

const filters = {
  outcome: optional(
    field.oneOf(['answered', 'refused', 'failed'], 'Status below 400, below 500, or from 500 on.'),
  ),
  method: optional(field.oneOf(METHODS, 'Only of this method.')),
  route: optional(
    field.text('Only of this route, as its pattern.', '/api/v1/integrations/pay/orders/:order_id'),
  ),
  from: optional(field.rangeStart('From this moment, or the start of this day, on.')),
  to: optional(field.rangeEnd('Before this moment, or up to the end of this day.')).as('before'),
  limit: field.pageSize(),
  cursor: field.cursor('req_01k9zq4m0ve8sbn6yt2hw3c5da'),
}

export const listRequestsQuery = query(filters)

/** The console shows requests of all keys. */
export const listAllRequestsQuery = query({
  ...filters,
  key_id: optional(field.resourceId('Only with this key.', 'key_test_01k9zq4m0ve8sbn6yt2hw3c5da')),
})

export const requestParams = input({
  request_id: field.resourceId('x-request-id of its answer.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const out = outputOf<LoggedRequest>()
export const requestOutput = out.object('LoggedCall', {
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
})

export type RequestAnswer = Shown<typeof requestOutput>
