import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { createAsset, sendAsset, type Asset } from '../assets.ts'
import { JSON_TYPE } from '../envelope.ts'
import { publishBody, publishParameters } from './publish.ts'

const DESCRIPTION = `Fee collection for schools and colleges. JSON over HTTPS, HTTP Basic authentication with API key and secret.

Amounts are rupees with at most two decimals; digits in a string (\`"1500.50"\`) are taken as well, and so are four digits for a year.
Date-times are ISO 8601; one without an offset is Indian time, answers are in UTC.
In a request \`null\` or \`""\` in an optional field means that it was not sent; where the type of a change names null, it empties the field.
No text may contain U+0000. In an answer what was not provided is absent, never null.
Send an \`Idempotency-Key\` with every POST, PATCH and DELETE that you may have to repeat.`

/** Generates OpenAPI 3.1 from the API's routes added after this call, and serves it. */
export async function addOpenApi(
  app: FastifyInstance,
  publicUrl: string,
  webhooks: Record<string, object>,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Bursar fee collection API',
        version: '1.0',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic', description: 'API key and secret.' },
        },
      },
      security: [{ basic: [] }],
      webhooks,
    },
    // The console's operations are its front end's alone and change with it; route-table.ts has them.
    transform: ({ schema, url }) => ({
      schema: url.startsWith('/console/') ? { ...schema, hide: true } : publishInputs(schema),
      url,
    }),
    transformObject: described => shareErrors('openapiObject' in described ? described.openapiObject : {}),
  })
  let document: Promise<Asset> | null = null
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    document ??= createAsset(Buffer.from(JSON.stringify(app.swagger())), JSON_TYPE)
    return sendAsset(request, reply, await document)
  })
}

type Inputs = { body?: unknown; querystring?: unknown; params?: unknown }

function publishInputs<Whole extends Inputs>(schema: Whole): Whole {
  const { body, querystring, params } = schema as Record<string, Record<string, unknown> | undefined>
  return {
    ...schema,
    // The body of an upload is a file, which has content types and no fields.
    ...(body === undefined || 'content' in body ? {} : { body: publishBody(body) }),
    ...(querystring === undefined ? {} : { querystring: publishParameters(querystring) }),
    ...(params === undefined ? {} : { params: publishParameters(params) }),
  }
}

type Described = {
  paths?: Record<string, unknown>
  components?: { schemas?: Record<string, unknown> }
}
type Operation = { responses?: Record<string, { content?: Record<string, { schema?: unknown }> }> }

const SHARED_ERROR = { $ref: '#/components/schemas/Error' }

/** Every operation has the same error envelope, a dozen times over: written once, the document is a third as long. */
function shareErrors<Whole extends Described>(document: Whole): Whole {
  let shared: unknown
  for (const operations of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(operations as Record<string, Operation>)) {
      for (const [status, answer] of Object.entries(operation.responses ?? {})) {
        const content = answer.content?.['application/json']
        if (status < '400' || content?.schema === undefined) continue
        shared ??= content.schema
        content.schema = SHARED_ERROR
      }
    }
  }
  document.components = { ...document.components, schemas: { Error: shared } }
  return document
}
