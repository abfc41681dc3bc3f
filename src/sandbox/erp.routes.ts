import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { addWrite } from '../http/endpoint.ts'
import { ok } from '../http/envelope.ts'
import { clearable, field, shown } from '../http/wire/fields.ts'
import type { EndpointDocs } from '../http/openapi/openapi.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { badField } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import type { Command } from '../platform/idempotency.ts'
import { MOST_CALLS } from '../erp/settings/settings.rules.ts'
import { removeErpSettings, setErpSettings, type ErpSettings } from '../erp/settings/settings.service.ts'
import { LOOKUP_PARAMETERS } from '../erp/erp.rules.ts'

const ErpBody = Type.Object({
  url: Type.Optional(
    clearable(
      field.url({
        description: 'Your fetch-student endpoint; required, and null or "" removes the settings.',
        examples: ['http://127.0.0.1:4000/fetch-student'],
      }),
    ),
  ),
  username: Type.Optional(field.text({ description: 'For Basic authentication.' })),
  password: Type.Optional(field.text({ description: 'Its password. Never returned.' })),
  header: Type.Optional(
    Type.Object(
      {
        name: field.text({ description: 'Name of the header.', examples: ['X-Api-Key'] }, 128),
        value: field.text({ description: 'Its value. Never returned.' }),
      },
      { description: 'A header sent with every call, in place of username and password.' },
    ),
  ),
  lookup: Type.Optional(
    Type.Array(field.oneOf(LOOKUP_PARAMETERS, { description: 'A query parameter.' }), {
      minItems: 1,
      maxItems: LOOKUP_PARAMETERS.length,
      description: 'The query parameters to send; identifier is always among them, and alone if absent.',
    }),
  ),
  custom_schedule: Type.Optional(
    field.flag({ description: 'Whether instalments follow your payment_schedule, which is then required.' }),
  ),
  collector_code: Type.Optional(
    field.code({ description: 'Only for this branch; its settings win over those of the institute.' }),
  ),
  max_calls: Type.Optional(
    field.wholeNumber({ description: 'Calls at once, over all processes; 4 if absent.', examples: [4] }, [
      1,
      MOST_CALLS,
    ]),
  ),
})

const ErpView = Type.Object({
  is_configured: shown.flag({ description: 'False after the settings were removed; then nothing follows.' }),
  collector_code: Type.Optional(shown.text({ description: 'Present only on settings of a branch.' })),
  url: Type.Optional(shown.text({ description: 'As sent.' })),
  auth: Type.Optional(shown.oneOf(['none', 'basic', 'header'], { description: 'How we authenticate.' })),
  username: Type.Optional(shown.text({ description: 'Present only with Basic authentication.' })),
  header_name: Type.Optional(shown.text({ description: 'Present only with a header.' })),
  lookup: Type.Optional(Type.Array(Type.String(), { description: 'The query parameters that are sent.' })),
  custom_schedule: Type.Optional(shown.flag({ description: 'Whether a payment_schedule is required.' })),
  max_calls: Type.Optional(Type.Integer({ description: 'Calls at once, over all processes.' })),
  updated_at: Type.Optional(shown.moment({ description: 'When they were set.' })),
})

const docs: EndpointDocs = {
  operationId: 'setSandboxErp',
  tag: 'Sandbox',
  summary: 'Set the fetch-student endpoint',
  description:
    'Says where your ERP is asked for students, and how. Replaces everything that was set before. Live, an operator ' +
    'does this with `bursar erp set`. Sandbox only.',
  answers: {
    200: {
      description: 'As they are now, without secrets.',
      data: ErpView,
      example: {
        status: 'success',
        data: {
          is_configured: true,
          url: 'http://127.0.0.1:4000/fetch-student',
          auth: 'basic',
          username: 'bursar',
          lookup: ['identifier', 'grade'],
          custom_schedule: false,
          max_calls: 4,
          updated_at: '2026-11-15T04:32:10.000Z',
        },
      },
    },
  },
  exampleBody: {
    url: 'http://127.0.0.1:4000/fetch-student',
    username: 'bursar',
    password: 'a-password-of-your-erp',
    lookup: ['identifier', 'grade'],
  },
}

type Result = ErpSettings | null

export function sandboxErpRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'PUT',
    url: '/api/v1/sandbox/erp',
    docs,
    body: ErpBody,
    perform: (command: Command<Result>, { caller, body }) =>
      setOrRemove(ctx, command, caller.institute, body),
    toResponse: settings => ok(settings === null ? { is_configured: false } : view(settings)),
  })
}

async function setOrRemove(
  ctx: Context,
  { instituteId, idempotency }: Command<Result>,
  institute: Institute,
  body: Static<typeof ErpBody>,
): Promise<Result> {
  const { url, collector_code: collectorCode } = body
  if (url === undefined) throw badField('url', 'is required; null removes the settings')
  if (url === null) {
    const command = {
      instituteId,
      idempotency: idempotency && { ...idempotency, answer: () => idempotency.answer(null) },
    }
    await removeErpSettings(ctx, command, institute, collectorCode)
    return null
  }
  return setErpSettings(ctx, { instituteId, idempotency }, institute, {
    collectorCode,
    url,
    username: body.username,
    password: body.password,
    header: body.header,
    lookup: body.lookup,
    customSchedule: body.custom_schedule,
    maxCalls: body.max_calls,
  })
}

function view(settings: ErpSettings): Record<string, unknown> {
  const { auth } = settings
  return {
    is_configured: true,
    collector_code: settings.collectorCode ?? undefined,
    url: settings.url,
    auth: auth.kind,
    username: auth.kind === 'basic' ? auth.username : undefined,
    header_name: auth.kind === 'header' ? auth.headerName : undefined,
    lookup: settings.lookup,
    custom_schedule: settings.customSchedule,
    max_calls: settings.maxCalls,
    updated_at: settings.updatedAt.toISOString(),
  }
}
