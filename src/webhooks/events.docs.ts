import { type EventCode, type EventDefinition, EVENT_CODES, TEST_CODE } from '../events/define-event.ts'
import { virtualAccountEvents } from '../dues/virtual-accounts/virtual-account.events.ts'
import { flexEvents } from '../flex/plans/plan.events.ts'
import { loanEvents } from '../loans/loan.events.ts'
import { linkEvents } from '../orders/order.events.ts'
import { pageEvents } from '../payment-pages/page.events.ts'
import { paymentEvents } from '../payments/payment.events.ts'
import { directPaymentEvents } from '../students/direct-payments/direct-payment.events.ts'
import { studentEvents } from '../students/student.events.ts'
import { outputOf } from '../http/wire/output.ts'
import { WEBHOOK_ID } from './subscriptions/subscription.schemas.ts'
import { DELIVERY_HEADERS } from '../http/openapi/document.ts'
import { objectSchema, type JsonSchema } from '../platform/json.rules.ts'

/** Every event there is, as its feature defines it. */
const EVENTS = {
  ...studentEvents,
  ...directPaymentEvents,
  ...flexEvents,
  ...paymentEvents,
  ...linkEvents,
  ...pageEvents,
  ...loanEvents,
  ...virtualAccountEvents,
} satisfies Record<EventCode, EventDefinition>

export const CATALOGUE: Readonly<Record<EventCode, EventDefinition>> = EVENTS

const out = outputOf<{ webhookId: string; eventCode: string }>()
/** What `webhook.test` carries: nothing in it looks as if money had moved. */
export const testPayload = out.object('WebhookTestPayload', {
  webhook_id: out.text('Id of the subscription.', WEBHOOK_ID),
  message: out.text(
    'A text for a person.',
    'A test of the webhook for order.payment.debited.',
    ({ eventCode }) => `A test of the webhook for ${eventCode}.`,
  ),
})

/** The webhooks section of the OpenAPI document: one entry per event code. */
export const EVENT_WEBHOOKS = Object.fromEntries(
  [
    ...EVENT_CODES.map(code => ({ code, ...CATALOGUE[code] })),
    { code: TEST_CODE, when: 'You asked for a test delivery; nothing happened.', payload: testPayload },
  ].map(({ code, when, payload }) => [code, { post: describeEvent(code, when, payload) }]),
)

function describeEvent(code: string, when: string, payload: { schema: JsonSchema; example: unknown }) {
  const schema = objectSchema({
    event_id: {
      type: 'string',
      description: 'The same on every retry: drop an event whose id you have seen.',
    },
    event: { type: 'string', const: code, description: 'Event code.' },
    timestamp: { type: 'integer', format: 'int64', description: 'When it happened, Unix seconds.' },
    version: { type: 'string', const: '1.0', description: 'Version of the envelope.' },
    sequence: { type: 'integer', format: 'int64', description: 'Rises per resource; compare, do not count.' },
    payload: payload.schema,
  })
  const example = {
    event_id: 'evt_01k9zq4m0ve8sbn6yt2hw3c5da',
    event: code,
    timestamp: 1794717130,
    version: '1.0',
    sequence: 1042,
    payload: payload.example,
  }
  return {
    operationId: `on${code.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: code,
    description: when,
    tags: ['Events'],
    // The receiver knows us by the signature.
    security: [],
    parameters: DELIVERY_HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      200: { description: 'Any 2xx within 15 seconds counts as received.' },
      410: { description: 'Disables the subscription.' },
    },
  }
}
