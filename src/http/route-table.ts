import type { FastifyInstance } from 'fastify'
import type { Scope } from '../institutes/institutes.rules.ts'
import { JSON_BODY, type FileKind } from '../platform/limits.rules.ts'

/** Every operation with the schema that its route was added with, the console's too; the reference shows the API alone. */
export type ServedRoute = {
  method: string
  url: string
  schema: Readonly<Record<string, unknown>>
  /** What an API key needs for it; null: it takes no key. */
  scope: Scope | null
  /** The kind of file that is its body; null: its body is JSON, or empty. */
  file: FileKind | null
}

/** What the reference does not show: pages, forms, files, callbacks. */
export type ServedPage = {
  method: string
  url: string
  /** Read late: a hook of its scope, which runs after the route is added, may set a limit of its own. */
  readonly bodyLimit: number
}

declare module 'fastify' {
  interface FastifyInstance {
    routeTable: readonly ServedRoute[]
    pageTable: readonly ServedPage[]
  }
}

/**
 * Collects the operations added after this call. Their schemas are for the reference and the walks over all routes: requests
 * are read by reader.ts and answers are text already, so the framework gets none of them to compile.
 */
export function keepRouteTable(app: FastifyInstance): void {
  const table: ServedRoute[] = []
  const pages: ServedPage[] = []
  app.decorate('routeTable', table)
  app.decorate('pageTable', pages)
  app.addHook('onRoute', route => {
    const { method, url, schema, config } = route
    delete route.schema
    if (schema === undefined || !('response' in schema)) {
      if (typeof method === 'string')
        pages.push({
          method,
          url,
          get bodyLimit() {
            return route.bodyLimit ?? JSON_BODY.bytes
          },
        })
      return
    }
    for (const one of [method].flat())
      table.push({
        method: one,
        url,
        schema: schema as ServedRoute['schema'],
        scope: config?.scope ?? null,
        file: config?.file ?? null,
      })
  })
}
