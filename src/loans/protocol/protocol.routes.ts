import type { FastifyInstance } from 'fastify'
import { createAsset, sendAsset, type Asset } from '../../http/assets.ts'
import { JSON_TYPE } from '../../http/reply.ts'
import { publishBody } from '../../http/openapi/document.ts'
import type { AnyInput } from '../../http/wire/input.ts'
import {
  historyAnswer,
  startedAnswer,
  updateMessage,
  acceptOutput,
  endOutput,
  pingOutput,
  statusOutput,
  submitOutput,
} from './protocol.schemas.ts'

/** Published for developers of a lender: it names no lender and no institute. */
export function protocolRoutes(app: FastifyInstance, publicUrl: string): void {
  let document: Promise<Asset> | null = null
  app.get('/lender/openapi.json', async (request, reply) => {
    document ??= createAsset(Buffer.from(JSON.stringify(describeProtocol(publicUrl))), JSON_TYPE)
    return sendAsset(request, reply, await document)
  })
}

/** The OpenAPI document of the lender protocol: what a lender serves, and as a webhook what it sends to Bursar. */
const DESCRIPTION = `What a lender implements to lend to families through Bursar, and what it reports back.

Both sides sign every message as Standard Webhooks has it: headers \`webhook-id\`, \`webhook-timestamp\` and
\`webhook-signature\` (\`v1,\` and the base64 HMAC-SHA256 of \`id.timestamp.body\` under the shared \`whsec_\` secret). Refuse a message
whose timestamp is more than five minutes away. During a rotation there are two signatures: accept a message if one is right.

Every message may come again with the same ids and must then change nothing. Amounts are rupees with at most two decimals.`

type Schema = Readonly<Record<string, unknown>>
type Message = { schema: object; example: unknown }

function describeProtocol(publicUrl: string): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bursar lender protocol',
      version: '1.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'https://lender.example.com/bursar', description: "The lender's address." }],
    tags: [
      { name: 'Served by the lender', description: 'Bursar calls these.' },
      { name: 'Sent by the lender', description: 'Bursar serves this.' },
    ],
    paths: lenderPaths(),
    webhooks: { applicationUpdated: { post: updateOperation(publicUrl) } },
    components: {
      schemas: { Update: published(updateMessage), History: published(historyAnswer) },
      securitySchemes: {
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'Standard Webhooks, with webhook-id and webhook-timestamp.',
        },
      },
    },
    security: [{ signature: [] }],
  }
}

const HISTORY = { schema: { $ref: '#/components/schemas/History' }, example: historyAnswer.example }

function operation(
  operationId: string,
  summary: string,
  description: string,
  { message, answer }: { message: Message; answer: Message | null },
): Schema {
  return {
    post: {
      operationId,
      summary,
      description,
      tags: ['Served by the lender'],
      requestBody: { required: true, content: json(message) },
      responses: {
        '200': { description: 'Done.', ...(answer === null ? {} : { content: json(answer) }) },
        '401': { description: 'The signature is missing, wrong or too old.' },
        '429': { description: 'Later. Bursar asks again at growing intervals, as after every 5xx.' },
      },
    },
  }
}

function lenderPaths(): Schema {
  return {
    '/applications/submit': operation(
      'submitApplication',
      'Take an application',
      'The borrower has consented and goes on to `redirect_url`. Submitting the same `application_id` again answers the same.',
      {
        message: submitOutput,
        answer: { schema: published(startedAnswer), example: startedAnswer.example },
      },
    ),
    '/applications/status': operation(
      'readApplication',
      'Tell everything about an application',
      'All updates so far, oldest first, as they were or will be sent. Bursar asks when an update may be missing.',
      { message: statusOutput, answer: HISTORY },
    ),
    '/applications/accept': operation(
      'acceptOffer',
      'Take the acceptance of an offer',
      'The borrower accepted the offer of an `approved` update on the page of Bursar. Report `sanctioned` when the agreement is made.',
      { message: acceptOutput, answer: null },
    ),
    '/applications/end': operation(
      'endApplication',
      'End an application',
      'The family or the institute withdrew it, or it lapsed. Answer all updates with the new end among them; one that is sanctioned ' +
        'already stays as it is. Answer no updates if you do not know it.',
      { message: endOutput, answer: HISTORY },
    ),
    '/ping': operation('ping', 'Answer', 'Changes nothing; `bursar lenders check` calls it.', {
      message: pingOutput,
      answer: null,
    }),
  }
}

function updateOperation(publicUrl: string): Schema {
  return {
    operationId: 'reportUpdate',
    summary: 'Report what happened',
    description:
      'Send it to the `report_url` that came with the application; where it had none, to ' +
      `\`${publicUrl}/callbacks/lenders/CODE\`, CODE being the name under which the operator added you. Send it again until ` +
      'the answer is 200, with a new timestamp. Order does not matter: Bursar asks for the whole when one is missing.',
    tags: ['Sent by the lender'],
    requestBody: {
      required: true,
      content: json({ schema: { $ref: '#/components/schemas/Update' }, example: EXAMPLE }),
    },
    responses: {
      '200': { description: 'Applied, or known already.' },
      '400': {
        description: 'The signature is missing, wrong or too old, or a field is; the answer names it.',
      },
      '503': { description: 'Send it again later.' },
    },
  }
}

const EXAMPLE = {
  type: 'application.updated',
  application_id: 'loan_01k9zq4m0ve8sbn6yt2hw3c5da',
  lender_ref: 'VF-100234',
  update: {
    kind: 'disbursed',
    at: '2026-12-01T06:00:00.000Z',
    disbursement: {
      number: 1,
      tranche_id: 'T1',
      date: '2026-12-01',
      amount: 60000,
      utr: 'HDFCR52026120100077',
    },
  },
}

function published({ schema }: AnyInput): Schema {
  return publishBody({ ...schema })
}

function json({ schema, example }: Message): Schema {
  return { 'application/json': { schema, example } }
}
