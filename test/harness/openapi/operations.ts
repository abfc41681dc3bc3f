import type { TestBursar } from '../bursar.ts'
import type { Json } from '../client.ts'

/** An operation as its route was added: of the API, the sandbox or the console. */
export type Operation = {
  method: string
  /** With its parameters in braces, as the reference writes it. */
  path: string
  /** Of the reference; the console's have their address instead. */
  id: string
  params: string[]
  query: string[]
  /** The schema of its JSON body and the example of it; undefined when it takes none. */
  schema: Json
  body: Json
  /** Who may use it; the console's alone say so. */
  reach: Json
  responses: Record<string, Json>
}

export function operationsOf({ app }: TestBursar, below = '/'): Operation[] {
  const wanted = app.routes.filter(({ url }) => url.startsWith(below))
  return wanted.map(({ method, url, schema }) => {
    const { operationId, params, querystring, body, response, ...more } = schema as Record<string, Json>
    const json = body?.content === undefined ? body : undefined
    return {
      method,
      path: url.replaceAll(/:(\w+)/g, '{$1}'),
      id: operationId ?? `${method} ${url}`,
      params: Object.keys(params?.properties ?? {}),
      query: Object.keys(querystring?.properties ?? {}),
      schema: json,
      body: json && (json.examples?.[0] ?? {}),
      reach: more['x-roles'],
      responses: response,
    }
  })
}

/** The same in the shape of the OpenAPI document, to hold answers against. */
export function documentOf(operations: readonly Operation[]): {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>
  components: { schemas: Record<string, Json> }
} {
  const paths: Record<string, Record<string, { responses: Record<string, Json> }>> = {}
  for (const { path, method, responses } of operations)
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses } }
  const error = operations[0]?.responses['400'].content['application/json'].schema
  return { paths, components: { schemas: { Error: error } } }
}
