import type { FastifyInstance, HTTPMethods } from 'fastify'
import { BursarError } from '../platform/errors.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Methods such as TRACE and QUERY are not, at any address. */
export function isServed(method: string): boolean {
  return (METHODS as string[]).includes(method)
}

/**
 * A known address with a method it does not have is 405, not 404. Collects the routes added from here on; the
 * function returned adds a refusal for every other method of their addresses.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<HTTPMethods>>()
  let isCollecting = true
  app.addHook('onRoute', route => {
    if (!isCollecting) return
    const known = methodsByUrl.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) known.add(method)
    methodsByUrl.set(route.url, known)
  })
  return () => {
    isCollecting = false
    for (const [url, known] of methodsByUrl) {
      const allow = [...known].sort().join(', ')
      app.route({
        method: METHODS.filter(method => !known.has(method)),
        url,
        handler: (request, reply) => {
          reply.header('allow', allow)
          throw new BursarError('HUE00003', `${request.method} is not possible here; use ${allow}.`)
        },
      })
    }
  }
}
