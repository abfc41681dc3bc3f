import { Type } from 'typebox'
import { EVENT_CODES } from '../events/codes.ts'
import { CATALOGUE } from './catalogue.ts'

/** The webhooks section of the OpenAPI document: one entry per event code. */
export const EVENT_WEBHOOKS = Object.fromEntries(
  EVENT_CODES.map(code => {
    const { when, payload } = CATALOGUE[code]
    const schema = Type.Object({
      event_id: Type.String({
        description: 'The same on every retry: drop an event whose id you have seen.',
      }),
      event: Type.Literal(code, { description: 'Event code.' }),
      timestamp: Type.Integer({ description: 'When it happened, Unix seconds.' }),
      version: Type.Literal('1.0', { description: 'Version of the envelope.' }),
      sequence: Type.Integer({ description: 'Rises per resource; compare, do not count.' }),
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
    const post = {
      operationId: `on ${code}`,
      summary: code,
      description: when,
      tags: ['Events'],
      requestBody: { content: { 'application/json': { schema, example } } },
      responses: { 200: { description: 'Any 2xx within 15 seconds counts as received.' } },
    }
    return [code, { post }]
  }),
)
