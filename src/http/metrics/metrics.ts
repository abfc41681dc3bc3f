import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BackupSchedule, BackupState } from '../../platform/backup/schedule.ts'
import type { Database } from '../../platform/db/database.ts'
import type { JobRunner } from '../../platform/jobs/job-runner.ts'
import type { Log } from '../../platform/log.ts'
import { methodOf } from '../other-methods.ts'
import { addJobMetrics } from './job-metrics.ts'

export type Metrics = { registry: Registry; requestSeconds: Histogram<'method' | 'route' | 'status'> }

/** `cell`: by which its figures are told from those of other cells. */
export function createMetrics(db: Database, jobs: JobRunner, cell: string | null = null): Metrics {
  const registry = new Registry()
  if (cell !== null) registry.setDefaultLabels({ cell })
  // Measured ten times a second: a timer each 10 ms, as it is by default, is most of what an idle process costs.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
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

/** An alert on the age of the last good backup needs nothing but its time. */
export function observeBackups({ registry }: Metrics, backups: Pick<BackupSchedule, 'state'>): void {
  const gauge = (name: string, help: string, read: (state: BackupState) => number): void =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read(backups.state))
        },
      }),
    )
  gauge(
    'bursar_backup_last_success_timestamp_seconds',
    'When the last good backup was begun; 0: never',
    state => Math.floor((state.lastAt?.getTime() ?? 0) / 1_000),
  )
  gauge('bursar_backup_last_size_bytes', 'Size of the last good backup', state => state.lastBytes)
  gauge(
    'bursar_backup_failures_in_row',
    'Failed backups since the last good one',
    state => state.failuresInRow,
  )
}

/**
 * One wide log line and one observation per request. The route's pattern stands for the address: paths and
 * queries carry identifiers of people, patterns do not.
 */
export function observeRequests(app: FastifyInstance, log: Log, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const status = reply.statusCode
    metrics.requestSeconds.observe({ method: methodOf(request), route, status }, reply.elapsedTime / 1_000)
    log.info(
      {
        request_id: request.id,
        method: methodOf(request),
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
