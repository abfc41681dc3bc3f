import Fastify, { type FastifyInstance } from 'fastify'

/** The reference is a page of ours: what would lead to its maker's services is switched off. */
const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
} as const

/**
 * The API reference under `/docs`, made by a plugin that takes longer to load than the rest of the server: it lives in
 * an app of its own that is opened by the first reader.
 */
export function addReference(app: FastifyInstance): void {
  let opened: Promise<FastifyInstance> | null = null
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      opened ??= openReference()
      const answer = await (await opened).inject({ url: request.url, headers: request.headers })
      return reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload)
    })
  }
  app.addHook('onClose', async () => (await opened)?.close())
}

async function openReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const reference = Fastify()
  await reference.register(apiReference, { routePrefix: '/docs', configuration: SETTINGS })
  await reference.ready()
  return reference
}
