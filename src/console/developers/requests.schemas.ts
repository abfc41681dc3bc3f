import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export const RequestsQuery = Type.Object({
  outcome: Type.Optional(
    field.oneOf(['answered', 'refused', 'failed'], {
      description: 'Status below 400, below 500, or from 500 on.',
    }),
  ),
  method: Type.Optional(field.oneOf(METHODS, { description: 'Only of this method.' })),
  route: Type.Optional(
    field.text({
      description: 'Only of this route, as its pattern.',
      examples: ['/api/v1/integrations/pay/orders/:order_id'],
    }),
  ),
  key_id: Type.Optional(field.resourceId({ description: 'Only with this key.' })),
  from: Type.Optional(field.rangeStart({ description: 'From this moment, or the start of this day, on.' })),
  to: Type.Optional(field.rangeEnd({ description: 'Before this moment, or up to the end of this day.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const RequestParams = Type.Object({
  request_id: field.resourceId({ description: 'x-request-id of its answer.' }),
})

export const RequestView = Type.Object({
  id: shown.text({ description: 'x-request-id of its answer.' }),
  at: shown.moment({ description: 'When it came, in real time, UTC.' }),
  method: shown.text({ description: 'Such as POST.' }),
  route: shown.text({ description: 'The pattern of its address; what stood in it is not kept.' }),
  status: Type.Integer({ description: 'What it was answered with.' }),
  error_code: Type.Optional(shown.text({ description: '`code` of the answer, if it was an error.' })),
  ms: Type.Number({ description: 'How long it took.' }),
  key_id: shown.text({ description: 'The key that it came with.' }),
})

export type RequestAnswer = Static<typeof RequestView>
