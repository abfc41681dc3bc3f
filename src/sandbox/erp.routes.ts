import type { FastifyInstance } from 'fastify'
import { addWrite } from '../http/endpoint.ts'
import { answer, ok, type Reply } from '../http/reply.ts'
import { nameComponent } from '../http/wire/input.ts'
import { objectSchema, type JsonSchema } from '../platform/json.rules.ts'
import { settingsInput, settingsOutput } from '../erp/settings/settings.schemas.ts'
import { removeErpSettings, setErpSettings, type SettingsChange } from '../erp/settings/settings.service.ts'
import { badField } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'

/** The settings, of which nothing but `is_configured` is left once they are removed. */
const properties = settingsOutput.schema['properties'] as Record<string, JsonSchema>
const data = nameComponent(
  'SandboxErpSettings',
  objectSchema(
    {
      is_configured: {
        type: 'boolean',
        description: 'False after the settings were removed; then nothing follows.',
      },
      ...properties,
    },
    { optional: Object.keys(properties) },
  ),
)

const settingsReply: Reply<SettingsChange> = {
  answers: {
    200: answer('As they are now.', {
      schema: data,
      example: { is_configured: true, ...settingsOutput.example },
    }),
  },
  toSuccess: ({ after }) =>
    ok(after === null ? { is_configured: false } : { is_configured: true, ...settingsOutput.toJson(after) }),
}

export function sandboxErpRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'PUT',
    url: '/api/v1/sandbox/erp',
    scope: 'settings',
    docs: {
      operationId: 'setSandboxErp',
      tag: 'Sandbox',
      summary: 'Set the fetch-student endpoint',
      description:
        'Says where your ERP is asked for students, and how. Replaces everything that was set before. Live, an operator ' +
        'does this with `bursar erp set`. Sandbox only.',
    },
    output: settingsReply,
    body: settingsInput,
    perform(command, { caller: { institute }, body: { url, ...wanted } }): Promise<SettingsChange> {
      if (url === undefined) throw badField('url', 'is required; null removes the settings')
      return url === null
        ? removeErpSettings(ctx, command, institute, wanted)
        : setErpSettings(ctx, command, institute, { ...wanted, url })
    },
  })
}
