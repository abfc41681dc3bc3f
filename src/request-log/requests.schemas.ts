import { field, input } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import type { LoggedRequest } from './requests.service.ts'

export const requestParams = input({
  request_id: field.resourceId('x-request-id of its answer.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const out = outputOf<LoggedRequest>()
export const requestFields = {
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
