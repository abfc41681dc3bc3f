import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { addExamples, InputError, writeOut } from '../../../src/cli/terminal.ts'
import { addApiOptions, withApi, type ApiOptions } from '../api.ts'

type RequestOptions = ApiOptions & { data?: object; field: Record<string, string>; idempotencyKey?: string }

const METHODS = {
  get: ['read an address of the API', 'bursar-cli get /api/v1/integrations/pay/orders -f limit=5'],
  post: ['create', 'bursar-cli post /api/v1/integrations/pay/orders -d @order.json --idempotency-key inv-42'],
  patch: ['change', `bursar-cli patch /api/v1/integrations/pay/pages/page_… -d '{"title":"Trip"}'`],
  put: ['set', 'bursar-cli put /api/v1/sandbox/erp -d @erp.json'],
  delete: ['delete', 'bursar-cli delete /api/v1/integrations/erp/webhooks/webhook_…'],
} as const

/** Any address of the API, answered as it comes. */
export function addRequestCommands(program: Command): void {
  for (const [method, [what, example]] of Object.entries(METHODS)) {
    const command = program
      .command(method)
      .description(`${method.toUpperCase()}: ${what}`)
      .argument('<path>', 'from /api on; its beginning /api/v1/integrations may be left out', readPath)
      .option(
        '-f, --field <name=value>',
        method === 'get'
          ? 'a parameter; may be given several times'
          : 'a field that is text; may be given several times',
        addField,
        {},
      )
    if (method !== 'get')
      command
        .option('-d, --data <json>', 'the body, or @FILE to read it from, @- from stdin', readBody)
        .option('--idempotency-key <key>', 'to repeat it without doing it twice')
    addApiOptions(command).action((path: string, options: RequestOptions) =>
      send(method.toUpperCase() as 'GET' | 'POST', path, options),
    )
    addExamples(command, [example])
  }
}

async function send(method: 'GET' | 'POST', path: string, options: RequestOptions): Promise<void> {
  const { data, field, idempotencyKey } = options
  const isRead = method === 'GET'
  await withApi(options, async ({ bursar }) => {
    const hasBody = data !== undefined || Object.keys(field).length > 0
    const answer = await bursar.request(
      { method, path, ...(isRead ? { query: field } : hasBody && { body: { ...data, ...field } }) },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    )
    writeOut(JSON.stringify(answer, null, 2))
  })
}

function readPath(text: string): string {
  const path = text.startsWith('/') ? text : `/${text}`
  return path.startsWith('/api/') ? path : `/api/v1/integrations${path}`
}

function addField(text: string, before: Record<string, string>): Record<string, string> {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InputError(`"${text}" is not a field: write name=value.`)
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) }
}

function readBody(text: string): object {
  const source = text.startsWith('@') ? readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8') : text
  try {
    const body: unknown = JSON.parse(source)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch (error) {
    throw new InputError(`The body is not JSON: ${(error as Error).message}`)
  }
  throw new InputError('The body must be a JSON object.')
}
