import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { BursarError, unavailable } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { compareSchema } from '../platform/db/migrate.ts'
import { hashSecret, secretMatches } from '../platform/secrets.ts'
import { ok, successBody, JSON_TYPE } from './reply.ts'
import type { Metrics } from './metrics.ts'

/** Said no to before the doors close, so that a load balancer sends new requests elsewhere. */
export type Readiness = {
  isDraining: boolean
  /** What somebody has to mend while requests are still answered. */
  warnings: () => readonly string[]
}

type HealthOptions = { ctx: Context; readiness: Readiness; metrics: Metrics; metricsToken: string | null }

const READY_LIMIT_MS = 2_000
// A yes is good for a moment, so that many probes cost one look at migrations and database.
const READY_FOR_MS = 1_000

/** Answers load balancers and monitoring: process up, ready for work, numbers. No API key is asked for. */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { ctx, readiness, metrics, metricsToken } = options
  const probe = { config: { limitedBy: 'nothing' } } as const
  let readyUntil = 0
  app.get('/healthz', probe, (_request, reply) =>
    reply.header('content-type', JSON_TYPE).send(successBody(ok())),
  )
  app.get('/readyz', probe, async (_request, reply) => {
    if (readiness.isDraining) throw unavailable('This process is shutting down.')
    if (performance.now() >= readyUntil) {
      await assertReady(ctx)
      readyUntil = performance.now() + READY_FOR_MS
    }
    const warnings = readiness.warnings()
    const said = warnings.length === 0 ? ok() : ok({ warnings })
    return reply.header('content-type', JSON_TYPE).send(successBody(said))
  })
  app.get('/metrics', async (request, reply) => {
    const isOpen = metricsToken === null && ctx.mode === 'sandbox'
    const isKnown =
      metricsToken !== null &&
      secretMatches(request.headers.authorization ?? '', hashSecret(`Bearer ${metricsToken}`))
    if (!isOpen && !isKnown)
      throw new BursarError('HUE00001', 'There is nothing here without the metrics token.')
    return reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

async function assertReady({ db }: Context): Promise<void> {
  const isReady = await Promise.race([
    Promise.all([compareSchema(db), db.assertWritable()]),
    wait(READY_LIMIT_MS, null, { ref: false }),
  ])
  if (isReady === null) throw unavailable('The database does not answer in time.')
  const [schema] = isReady
  if (schema === 'older') throw unavailable('The database is not migrated to this version yet.')
  if (schema === 'newer')
    throw unavailable('The database was migrated by a newer Bursar. Upgrade this process.')
}
