import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { methodOf } from './failures.ts'
import type { BackupSchedule, BackupState } from '../platform/backup/schedule.ts'
import type { Calls } from '../platform/http-client/call-counts.ts'
import type { Database } from '../platform/db/database.ts'
import type { JobRunner, JobStatus } from '../platform/jobs/job-runner.ts'
import type { Log } from '../platform/log.ts'
import { BursarError, unavailable } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { compareSchema } from '../platform/db/migrate.ts'
import { hashSecret, secretMatches } from '../platform/secrets.ts'
import { ok, successBody, JSON_TYPE } from './reply.ts'

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

type Figure = { name: string; help: string; read: (status: JobStatus) => number | null }

const GAUGES: readonly Figure[] = [
  {
    name: 'bursar_job_last_run_timestamp_seconds',
    help: 'When a job last ran in this process',
    read: ({ lastRunAt }) => (lastRunAt === null ? null : lastRunAt.getTime() / 1_000),
  },
  {
    name: 'bursar_job_duration_seconds',
    help: 'How long the last row or batch of a job took',
    read: ({ lastDurationMs }) => (lastDurationMs === null ? null : lastDurationMs / 1_000),
  },
  {
    name: 'bursar_job_failures_in_a_row',
    help: 'Failures of a job since its last success',
    read: ({ failuresInARow }) => failuresInARow,
  },
  {
    name: 'bursar_job_abandoned',
    help: 'Rows and batches that passed their time limit and have not ended yet',
    read: ({ abandoned }) => abandoned,
  },
]

const COUNTERS: readonly Figure[] = [
  { name: 'bursar_job_rows_total', help: 'Rows that a job has worked on', read: ({ rows }) => rows },
  {
    name: 'bursar_job_failures_total',
    help: 'Rows, batches and runs of a job that failed',
    read: ({ failures }) => failures,
  },
]

/** The figures of this process, and how long the oldest row has been due, whichever process is to do it. */
function addJobMetrics(registry: Registry, jobs: JobRunner): void {
  const metric = { labelNames: ['job'], registers: [] }
  for (const { name, help, read } of GAUGES) {
    const collect = (): void => {
      for (const status of jobs.statuses) {
        const value = read(status)
        if (value !== null) gauge.set({ job: status.name }, value)
      }
    }
    const gauge = new Gauge({ ...metric, name, help, collect })
    registry.registerMetric(gauge)
  }
  for (const { name, help, read } of COUNTERS) {
    const collect = (): void => {
      counter.reset()
      for (const status of jobs.statuses) counter.inc({ job: status.name }, read(status) ?? 0)
    }
    const counter = new Counter({ ...metric, name, help, collect })
    registry.registerMetric(counter)
  }
  const oldest = new Gauge({
    ...metric,
    name: 'bursar_job_oldest_due_seconds',
    help: 'For how long the oldest row of a job has been due; 0 when nothing is due',
    async collect() {
      const ages = await unlessAway(() => jobs.oldestDueMs())
      oldest.reset()
      for (const [job, ms] of ages) oldest.set({ job }, ms / 1_000)
    },
  })
  registry.registerMetric(oldest)
}

const CALLS = [
  {
    of: 'providers',
    name: 'bursar_provider_calls_total',
    label: 'account',
    help: 'Calls to payment providers',
  },
  { of: 'erps', name: 'bursar_erp_calls_total', label: 'institute', help: 'Calls to ERPs of schools' },
  { of: 'messages', name: 'bursar_message_tries_total', label: 'channel', help: 'Tries to send a message' },
] as const

/** Counts this process's calls: answered, refused with a reason, or failed. */
export function addCallMetrics(registry: Registry, calls: Calls): void {
  for (const { of, name, label, help } of CALLS) {
    const counter = new Counter({
      name,
      help: `${help}, by what came of it`,
      labelNames: [label, 'outcome'],
      registers: [],
      collect() {
        counter.reset()
        for (const { called, outcome, count } of calls[of].all)
          counter.inc({ [label]: called, outcome }, count)
      },
    })
    registry.registerMetric(counter)
  }
}

const LIMIT_MS = 3_000

/**
 * Without a database there are no such figures; the others are wanted then most of all. One that does not even refuse must
 * not keep the page beyond the patience of who reads it.
 */
async function unlessAway(
  read: () => Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, number>> {
  const nothing = new Map<string, number>()
  const late = new AbortController()
  try {
    return await Promise.race([read(), wait(LIMIT_MS, nothing, { signal: late.signal })])
  } catch {
    return nothing
  } finally {
    late.abort()
  }
}

/** A figure that is the same for all processes over one database. */
export type SharedFigure = {
  name: string
  help: string
  label?: string
  /** Figures by the value of the label, or by '' without a label. */
  read: () => Promise<ReadonlyMap<string, number>>
}

export function addSharedFigures(registry: Registry, figures: readonly SharedFigure[]): void {
  for (const { name, help, label, read } of figures) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      async collect() {
        const values = await unlessAway(read)
        gauge.reset()
        if (label === undefined && values.size === 0) gauge.remove()
        for (const [key, value] of values) gauge.set(label === undefined ? {} : { [label]: key }, value)
      },
    })
    registry.registerMetric(gauge)
  }
}

/** The few numbers of /metrics that a person looks at first, of this process since its start. */
export type KeyNumbers = {
  upSeconds: number
  requests: number
  /** Answered with 500 or more. */
  failures: number
  meanMs: number | null
  /** Estimated within its bucket, as the monitoring system would. */
  p95Ms: number | null
  memoryBytes: number
  cpuSeconds: number
  eventLoopLagMs: number
}

type RequestMetrics = { registry: Registry; requestSeconds: Histogram<'method' | 'route' | 'status'> }

export async function readKeyNumbers({ registry, requestSeconds }: RequestMetrics): Promise<KeyNumbers> {
  // Some of the process's own numbers are filled in while others are collected.
  await registry.getMetricsAsJSON()
  const { values } = await requestSeconds.get()
  const sumOf = (suffix: string, isMeant: (status: number) => boolean = () => true): number =>
    values
      .filter(
        ({ metricName, labels }) => metricName?.endsWith(suffix) === true && isMeant(Number(labels.status)),
      )
      .reduce((sum, { value }) => sum + value, 0)
  const requests = sumOf('_count')
  const one = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(name)?.get()
    return metric?.values[0]?.value ?? 0
  }
  return {
    upSeconds: process.uptime(),
    requests,
    failures: sumOf('_count', status => status >= 500),
    meanMs: requests === 0 ? null : (sumOf('_sum') / requests) * 1_000,
    p95Ms: requests === 0 ? null : quantile(bucketsOf(values), 0.95) * 1_000,
    memoryBytes: await one('process_resident_memory_bytes'),
    cpuSeconds: await one('process_cpu_seconds_total'),
    eventLoopLagMs: (await one('nodejs_eventloop_lag_p99_seconds')) * 1_000,
  }
}

type Values = Awaited<ReturnType<RequestMetrics['requestSeconds']['get']>>['values']
type Bucket = { upTo: number; count: number }

/** Over all routes; each counts whatever took no longer than its bound. */
function bucketsOf(values: Values): Bucket[] {
  const byBound = new Map<number, number>()
  for (const { metricName, labels, value } of values) {
    if (metricName?.endsWith('_bucket') !== true) continue
    const { le } = labels as { le?: number | string }
    const bound = le === '+Inf' ? Infinity : Number(le)
    byBound.set(bound, (byBound.get(bound) ?? 0) + value)
  }
  return [...byBound].map(([upTo, count]) => ({ upTo, count })).sort((a, b) => a.upTo - b.upTo)
}

/** Seconds; beyond the last bound there is nothing to tell but that bound. */
export function quantile(buckets: readonly Bucket[], share: number): number {
  const wanted = (buckets.at(-1)?.count ?? 0) * share
  let below: Bucket = { upTo: 0, count: 0 }
  for (const bucket of buckets) {
    if (bucket.count >= wanted) {
      if (bucket.upTo === Infinity || bucket.count === below.count) return below.upTo
      return below.upTo + ((bucket.upTo - below.upTo) * (wanted - below.count)) / (bucket.count - below.count)
    }
    below = bucket
  }
  return below.upTo
}

/** Said no to before the doors close, so that a load balancer sends new requests elsewhere. */
export type Readiness = {
  isDraining: boolean
  /** What somebody has to mend while requests are still answered. */
  warnings: () => readonly string[]
  /** Told how each look went: null, or why it was not ready. */
  noticed?: (refusal: string | null) => void
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
      const refusal = await findRefusal(ctx)
      readiness.noticed?.(refusal?.message ?? null)
      if (refusal !== null) throw refusal
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

/** Why requests are refused; null: they are not. */
export async function findRefusal(ctx: Context): Promise<Error | null> {
  return assertReady(ctx).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
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
