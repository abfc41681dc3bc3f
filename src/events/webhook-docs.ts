import { Type } from 'typebox'
import { EVENT_CODES } from './codes.ts'
import { EVENTS } from './payloads.ts'

/** The webhooks section of the OpenAPI document: one entry per event code. */
export const EVENT_WEBHOOKS = Object.fromEntries(
  EVENT_CODES.map(code => [
    code,
    {
      post: {
        operationId: `on ${code}`,
        summary: code,
        description: EVENTS[code].when,
        tags: ['Events'],
        requestBody: {
          content: {
            'application/json': {
              schema: Type.Object({
                event_id: Type.String({ description: 'The same on every retry; use it to ignore repeats.' }),
                event: Type.Literal(code, { description: 'Event code.' }),
                timestamp: Type.Integer({ description: 'When it happened, Unix seconds.' }),
                version: Type.Literal('1.0', { description: 'Version of the envelope.' }),
                sequence: Type.Integer({ description: 'Rises per resource; compare, do not count.' }),
                payload: EVENTS[code].payload,
              }),
            },
          },
        },
        responses: { 200: { description: 'Any 2xx within 15 seconds counts as received.' } },
      },
    },
  ]),
)
