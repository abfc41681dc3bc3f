import { INSTITUTE } from '../console/auth/access.routes.ts'
import type { ConsoleRole } from '../console/console.rules.ts'
import type { ServedRoute } from '../http/endpoint.ts'
import { publishBody } from '../http/openapi/document.ts'
import { compileReader } from '../http/wire/reader.ts'
import { assert } from '../platform/assert.ts'
import { badRequest } from '../platform/errors.ts'
import type { JsonSchema } from '../platform/json.rules.ts'
import type { Arguments } from './acts.ts'
import type { Call } from './calls.ts'
import type { Tool } from './tools.ts'

/** A tool with what follows from its operation. */
export type Operation<Of = Tool> = {
  tool: Of
  method: 'GET' | 'POST'
  url: string
  /** What it takes, in plain JSON Schema. */
  input: JsonSchema & { type: 'object'; properties: Record<string, JsonSchema>; required: string[] }
  roles: readonly ConsoleRole[]
  /** Refuses a body that the operation would refuse. */
  check(request: { payload?: unknown }): void
}

/** An assistant reads every row that it asks for, so pages are shorter than those of people. */
const PAGE = { type: 'integer', minimum: 1, maximum: 50, default: 20, description: 'How many rows.' } as const

type Part = { properties?: Record<string, JsonSchema>; required?: readonly string[] }

export function toOperation<Of extends Tool>(tool: Of, routes: readonly ServedRoute[]): Operation<Of> {
  const [method, path] = tool.operation.split(' ') as ['GET' | 'POST', string]
  const url = INSTITUTE + path
  const route = routes.find(one => one.method === method && one.url === url)
  assert(route !== undefined, `${tool.name} calls ${tool.operation}, which is not served`)
  const parts = ['params', 'querystring', 'body'].map(name => (route.schema[name] ?? {}) as Part)
  const fields: Record<string, JsonSchema> = Object.assign({}, ...parts.map(part => part.properties))
  const { properties } = publishBody({ type: 'object', properties: fields }) as Required<Part>
  const taken = Object.keys(properties).filter(
    name => name !== 'institute_code' && (tool.takes === undefined || tool.takes.includes(name)),
  )
  return {
    tool,
    method,
    url,
    roles: route.schema['x-roles'] as readonly ConsoleRole[],
    check({ payload }) {
      if (route.schema['body'] !== undefined) compileReader(route.schema['body'] as JsonSchema)(payload)
    },
    input: {
      type: 'object',
      properties: Object.fromEntries(
        taken.map(name => [name, name === 'limit' ? PAGE : (properties[name] ?? {})]),
      ),
      required: parts.flatMap(part => part.required ?? []).filter(name => taken.includes(name)),
      additionalProperties: false,
    },
  }
}

/** The fields themselves are read by the operation, which says what is wrong with them. */
export function requireKnown({ input, tool }: Operation, sent: Arguments): void {
  const unknown = Object.keys(sent).filter(name => !Object.hasOwn(input.properties, name))
  if (unknown.length === 0) return
  const known = Object.keys(input.properties).join(', ') || 'nothing'
  throw badRequest(`${tool.name} does not take ${unknown.join(', ')}. It takes ${known}.`)
}

/** The request of the console's API that a call of a tool stands for. */
export function requestOf({ method, url, input }: Operation, instituteCode: string, sent: Arguments): Call {
  const left = new Map(Object.entries({ ...sent, ...pageOf(input, sent) }))
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = name === 'institute_code' ? instituteCode : left.get(name)
    left.delete(name)
    if (typeof value !== 'string') throw badRequest(`${name} must be a text.`)
    return encodeURIComponent(value)
  })
  if (method === 'POST') return { method, url: path, payload: Object.fromEntries(left) }
  const query = [...left].filter(([, value]) => value !== null && value !== undefined)
  return {
    method,
    url: `${path}?${new URLSearchParams(query.map(([name, value]) => [name, String(value)]))}`,
  }
}

function pageOf({ properties }: Operation['input'], { limit }: Arguments): Arguments {
  if (properties['limit'] === undefined) return {}
  return { limit: typeof limit === 'number' ? Math.min(limit, PAGE.maximum) : (limit ?? PAGE.default) }
}
