import type { FastifyInstance } from 'fastify'
import { addConsoleRead, addConsoleWrite } from '../../console/auth/access.routes.ts'
import { EVERYONE } from '../../console/console.rules.ts'
import { DEVELOPERS } from '../../console/developers/developers.rules.ts'
import type { ErpContext } from '../../erp/context.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, one } from '../../http/reply.ts'
import { checkIntegration, getLatestCheck, type IntegrationCheck } from './integration-check.service.ts'
import { field, ifSent, input, query } from '../../http/wire/input.ts'
import { PARTS, CHECK_CODES, OUTCOMES, type CheckResult, type Exchange } from './check.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

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

const checkInput = input({
  identifier: field.identifier('An active student of your test data.', 'ADM-1'),
  discontinued_identifier: ifSent(
    field.identifier('A student for whom your ERP answers student_discontinued.', 'ADM-2'),
  ),
  transferred_identifier: ifSent(
    field.identifier('A student for whom your ERP answers student_transferred.', 'ADM-3'),
  ),
  data_error_identifier: ifSent(field.identifier('A student for whom your ERP answers data_error.', 'ADM-4')),
  bookings_url: ifSent(
    field.url(
      'Where your test ERP shows what is booked of a payment: it is asked with `payment_id`, and with the credentials of the fetch-student endpoint, at the same host.',
      'http://127.0.0.1:4000/bookings',
    ),
  ),
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  parts: ifSent(
    field.choices('What to check; everything if absent.', field.oneOf(PARTS, 'A part.', 'fetch'), { min: 1 }),
  ),
})

const latestCheckQuery = query({
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  outcome: ifSent(
    field.oneOf(['passed'], 'Only the last check that passed whole: the certificate.', 'passed'),
  ),
})

const call = outputOf<Exchange>()
const exchangeOutput = call.object('IntegrationCheckCall', {
  method: call.oneOf(['GET', 'POST'], 'HTTP method.'),
  url: call.text('Your address.', 'http://127.0.0.1:4000/fetch-student?identifier=ADM-1'),
  sent: call.text('What was special about it, and the start of the body.', 'with your credentials'),
  http_status: call.optional.integer('Your answer; absent when none came.', 200),
  received: call.text(
    'The start of your answer, or what was understood of it.',
    'Kabir Rao, grade 5, 2026-2027',
  ),
  duration_ms: call.integer('How long it took, ms.', 12),
})

const result = outputOf<CheckResult>()
const resultOutput = result.object('IntegrationCheckResult', {
  code: result.oneOf(CHECK_CODES, 'Which check.'),
  part: result.oneOf(PARTS, 'Of which part of an integration.'),
  title: result.text('What it has to do.', 'An active student is answered with its record'),
  outcome: result.oneOf(
    OUTCOMES,
    '`unproven`: nothing went wrong, but only your books show that it is right; see `bookings_url`.',
  ),
  message: result.text(
    'What was seen, or what to mend.',
    'Understood: Kabir Rao, grade 5, 2 fee components.',
  ),
  calls: result.list('What was sent and what came back.', exchangeOutput, one => one.exchanges),
})

const check = outputOf<IntegrationCheck>()
const checkOutput = check.object('IntegrationCheck', {
  id: check.text('Id of the check.', 'check_01k9zq4m0ve8sbn6yt2hw3c5da'),
  collector_code: check.text('Branch.', 'MAIN'),
  checked_at: check.moment('When, in real time.', '2026-11-17T10:00:00.000Z'),
  document_version: check.text('Version of the API document that it was checked against.', '1.0'),
  has_passed: check.flag('Whether every check passed: the integration is complete.', true),
  checks: check.list('One by one.', resultOutput),
})

export type IntegrationCheckAnswer = Shown<typeof checkOutput>
