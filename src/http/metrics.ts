import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../platform/db/database.ts'
import type { JobRunner } from '../platform/jobs/job-runner.ts'
import type { Log } from '../platform/log.ts'
import { addJobMetrics } from './job-metrics.ts'

export type Metrics = { registry: Registry; requestSeconds: Histogram<'method' | 'route' | 'status'> }

export function createMetrics(db: Database, jobs: JobRunner): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requestSeconds = new Histogram({
    name: 'bursar_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  })
  registry.registerMetric(
    new Gauge({
      name: 'bursar_db_connections',
      help: 'Pooled database connections by state; waiting counts requests for one',
      labelNames: ['state'],
      registers: [],
      collect() {
        for (const [state, count] of Object.entries(db.load)) this.set({ state }, count)
      },
    }),
  )
  addJobMetrics(registry, jobs)
  return { registry, requestSeconds }
}

/**
 * One wide log line and one observation per request. The route's pattern stands for the address: paths and
 * queries carry identifiers of people, patterns do not.
 */
export function observeRequests(app: FastifyInstance, log: Log, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const status = reply.statusCode
    metrics.requestSeconds.observe({ method: request.method, route, status }, reply.elapsedTime / 1_000)
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route,
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        institute: request.caller?.institute.code,
        key_id: request.caller?.keyId,
      },
      'request',
    )
    done()
  })
}
