import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../platform/context.ts'
import { badRequest } from '../platform/errors.ts'

const HOST = /^(?:\[(?<address>[0-9a-f:.]+)\]|(?<name>[a-z0-9._-]+))(?::\d{1,5})?$/i

/** Probes and scrapers come under whatever name their network gives us, and read nothing private. */
const OPEN: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

/**
 * A sandbox has published keys and no passwords: all that keeps web pages from using it is that it is another origin. A page
 * whose own name was made to point here (DNS rebinding) is not, but its requests carry that name. An address in numbers
 * cannot be made to point elsewhere.
 */
export function refuseForeignHost({ mode, publicUrl }: Context, request: FastifyRequest): void {
  // A request without one is HTTP/1.0, which no browser speaks.
  if (request.headers.host === undefined) return
  const { name, address } = HOST.exec(request.host)?.groups ?? {}
  const host = (name ?? address)?.toLowerCase()
  if (host === undefined) throw badRequest('The Host header is neither a name nor an address.')
  if (mode === 'live' || OPEN.includes(request.routeOptions.url)) return
  if (isIP(host) !== 0 || isLoopback(host) || host === URL.parse(publicUrl)?.hostname) return
  throw badRequest(`This sandbox is reached at ${publicUrl}. To reach it under another name, set PUBLIC_URL.`)
}

/** Whether nobody but this machine reaches it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\.[\d.]+$/.test(host)
}
