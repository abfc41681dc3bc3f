import type { FastifyInstance } from 'fastify'
import { addConsoleRead, addConsoleWrite } from '../../console/auth/access.routes.ts'
import { EVERYONE } from '../../console/console.rules.ts'
import { DEVELOPERS } from '../../console/developers/developers.rules.ts'
import type { ErpContext } from '../../erp/context.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, one } from '../../http/reply.ts'
import { checkInput, latestCheckQuery, checkOutput } from './integration-check.schemas.ts'
import { checkIntegration, getLatestCheck, type IntegrationCheck } from './integration-check.service.ts'

const CHECK = '/api/v1/sandbox/erp/integration-check'

export function integrationCheckRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: CHECK,
    scope: 'settings',
    docs: {
      operationId: 'checkIntegration',
      tag: 'Sandbox',
      summary: 'Check an integration',
      description:
        'Takes your integration through what it has to do, at your own addresses: the fetch-student endpoint in all its ' +
        'answers, and your webhook receiver with genuine and false deliveries, repeats, retries, the wrong order, a refund and a ' +
        'skipped instalment, of made-up payments. Answers with what was sent, what came back and what to mend, after a minute and ' +
        'a half at most. Nothing is recorded but the result. Sandbox only.',
      errors: [409],
    },
    output: created(checkOutput),
    body: checkInput,
    perform: (command, { caller, body }) => checkIntegration(ctx, command, caller.institute, body),
  })
  addRead(app, {
    url: CHECK,
    docs: {
      operationId: 'getIntegrationCheck',
      tag: 'Sandbox',
      summary: 'Get the last integration check',
      description: 'The last check, or with `outcome=passed` the last one that passed whole. Sandbox only.',
      errors: [404],
    },
    output: one(checkOutput),
    query: latestCheckQuery,
    answer: ({ caller, query }) => getLatestCheck(ctx, caller.institute, query),
  })
  addConsoleRead(app, ctx, {
    url: '/sandbox/integration-check',
    roles: EVERYONE,
    output: one(checkOutput),
    query: latestCheckQuery,
    answer: ({ institute, query }) => getLatestCheck(ctx, institute, query),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/sandbox/integration-check',
    roles: DEVELOPERS,
    output: created(checkOutput),
    body: checkInput,
    perform: (command, { institute, body }) => checkIntegration(ctx, command, institute, body),
    audit: (_call, { id, hasPassed }: IntegrationCheck) => ({
      what: 'sandbox.integration.checked',
      about: id,
      after: { has_passed: hasPassed },
    }),
  })
}
