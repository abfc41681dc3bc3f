import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { type BursarContext, createContext } from './context.ts'
import { keepDataDirLocked, type KeptDataDirLock, describeInstallation, processName } from './installation.ts'
import { describeStranded } from './doctor/doctor.rules.ts'
import { examine, findStranded } from './doctor/doctor.service.ts'
import { HealthHistory } from './health-history.ts'
import { createJobs } from './jobs.ts'
import { Machine } from './machine.ts'
import { openDatabase, type OpenedDatabase } from './open-database.ts'
import { createHealthServer, createHttpServer } from './routes.ts'
import { rebalanceAll } from '../flex/plans/rebalance.service.ts'
import { findRefusal, type Readiness } from '../http/metrics.ts'
import type { Bodies, Uploads } from '../http/limits/bodies.ts'
import type { ServedPage, ServedRoute } from '../http/endpoint.ts'
import { ImportEngine } from '../imports/engine/steps.service.ts'
import { BackupSchedule } from '../platform/backup/schedule.ts'
import type { Context } from '../platform/context.ts'
import type { Database } from '../platform/db/database.ts'
import { writeRefusal } from '../platform/db/errors.ts'
import { compareSchema } from '../platform/db/migrate.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { isUnavailable } from '../platform/errors.ts'
import { HttpClient } from '../platform/http-client/http-client.ts'
import { JobRunner } from '../platform/jobs/job-runner.ts'
import type { Log } from '../platform/log.ts'
import { finishMove, loadOffset } from '../sandbox/clock/clock.service.ts'
import { fillDemo } from '../sandbox/demo/demo.service.ts'
import { DeliveryEngine } from '../webhooks/engine/delivery-engine.service.ts'

/** A running Bursar. */
export type Bursar = Omit<OpenedDatabase, 'ctx'> & {
  /** The settings as they were read, with the port that was really bound. */
  config: Config
  ctx: BursarContext
  worker: JobRunner
  deliveries: DeliveryEngine
  /** What it serves; empty in a worker, which serves health and metrics alone. */
  routes: readonly ServedRoute[]
  pages: readonly ServedPage[]
  uploads: Uploads
  bodies: Bodies
  /** Stops readiness, requests, work and the database in this order, and once, however often it is asked to. */
  stop(): Promise<void>
}

/** A start that was refused for a reason a person can mend. */
class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

const WATCH_MS = 1_000
/** A look that opens a connection of its own is dear. */
const CONNECT_MS = 15_000
const SCHEMA_MS = 2_000
const MACHINE_MS = 60_000
const REAP_MS = 100

export async function createBursar(
  wanted: Config,
  log: Log,
  onEmbedded?: (embedded: EmbeddedPostgres) => void,
): Promise<Bursar> {
  const stopTracing = await openTracing(wanted, log)
  const { hold, base, ...opened } = await openAndLock(wanted, log, onEmbedded)
  const { sandboxClock, embedded } = opened
  const { ctx, simulators, closeErp, closeSenders } = await createContext(wanted, base, log)
  const worker = new JobRunner(createJobs(wanted, ctx, simulators?.bank ?? null), {
    clock: ctx.clock,
    log,
    listen: (channel, onWakeup) => ctx.db.listen(channel, onWakeup),
    readPulse: () => ctx.db.readSnapshot({ maxAgeMs: WATCH_MS / 2 }),
  })
  const { machine, history, readiness } = openHealth(wanted, { ctx, worker, log })
  const { deliveries, closeDeliveries } = openDeliveries(wanted, ctx, log)
  const imports = new ImportEngine(ctx, log)
  const stopWork = (): Promise<unknown> =>
    Promise.all([worker.stop(), closeDeliveries(), imports.stop(), backups?.stop()])
  const timers = watch({ ...opened, db: ctx.db, machine, history, stopWork }, log)
  const backups = openBackups(wanted, embedded, ctx)
  let app: FastifyInstance | null = null
  const stop = async (drainMs: number): Promise<void> => {
    readiness.isDraining = true
    await wait(drainMs)
    await ctx.db.abandonIfSilent()
    // A request that waits for an ERP is answered at once, instead of holding everything up for its 15 seconds.
    await Promise.all([app === null ? null : closeServer(app), closeErp()])
    await stopWork()
    closeSenders()
    for (const timer of timers) clearInterval(timer)
    await history.stop()
    await hold?.release()
    await ctx.db.close()
    await embedded?.stop()
    await stopTracing()
  }
  try {
    const means = { db: ctx.db, worker, ctx, beforeMove: () => rebalanceAll(ctx) }
    const sandbox =
      sandboxClock === null || simulators === null ? null : { ...means, clock: sandboxClock, ...simulators }
    const options = {
      ...wanted,
      ctx,
      log,
      sandbox,
      readiness,
      machine,
      installation: describeInstallation(wanted, worker, backups),
      tls: await readTls(wanted),
      examine: () => examine({ ...wanted, publicUrl: ctx.publicUrl }, ctx),
    }
    app = wanted.role === 'worker' ? createHealthServer(options) : await createHttpServer(options)
    // Before anybody can be answered: a school that is half filled takes no orders.
    if (wanted.role !== 'worker') await fillDemoSchool(ctx, log)
    const config = await listen(app, wanted)
    base.publicUrl = config.publicUrl
    backups?.start()
    if (wanted.role !== 'api') {
      worker.start()
      deliveries.start()
      imports.start()
      if (sandboxClock !== null)
        finishMove({ db: ctx.db, clock: sandboxClock, worker }).catch((err: unknown) =>
          log.warn({ err }, 'finishing a sandbox clock move failed'),
        )
    }
    const { routeTable: routes, pageTable: pages, uploads, bodies } = app
    let stopping: Promise<void> | null = null
    const close = (): Promise<void> => (stopping ??= stop(wanted.drainMs))
    return { ...opened, config, ctx, worker, deliveries, routes, pages, uploads, bodies, stop: close }
  } catch (error) {
    await stop(0)
    throw error
  }
}

/** A sandbox without its demo school is as good for everything else. */
async function fillDemoSchool(ctx: BursarContext, log: Log): Promise<void> {
  const hint = '`npm run build` in a checkout records it, and the next start fills it'
  try {
    const filled = await fillDemo(ctx)
    if (filled === 'not recorded')
      log.warn(`Sunrise School is empty, because this build has no recording: ${hint}`)
  } catch (err) {
    log.warn({ err }, `Sunrise School could not be filled: ${hint}`)
  }
}

/** Its libraries are loaded only where they are wanted. */
async function openTracing({ tracing }: Config, log: Log): Promise<() => Promise<void>> {
  if (tracing === null) return () => Promise.resolve()
  const { startTracing } = await import('../platform/tracing/otlp.ts')
  return startTracing(tracing, log)
}

/** What /readyz says, and what it said before. */
function openHealth(
  config: Config,
  { ctx, worker, log }: { ctx: BursarContext; worker: JobRunner; log: Log },
): { machine: Machine; history: HealthHistory; readiness: Readiness } {
  const machine = new Machine(ctx.db, config, log)
  const warnings = (): readonly string[] => machine.warnings
  const history = new HealthHistory({
    db: ctx.db,
    process: processName(config.role),
    findRefusal: () => findRefusal(ctx),
    warnings,
    jobs: () => worker.statuses,
    log,
  })
  const noticed = (refusal: string | null): void => history.note('ready', refusal)
  return { machine, history, readiness: { isDraining: false, warnings, noticed } }
}

function openBackups(
  { backup, dataDir }: Config,
  embedded: EmbeddedPostgres | null,
  { vault, log }: Pick<BursarContext, 'vault' | 'log'>,
): BackupSchedule | null {
  if (embedded === null || backup === null) return null
  return new BackupSchedule({ settings: backup, dataDir, embedded, vault, log })
}

type LockedDatabase = Omit<OpenedDatabase, 'ctx'> & {
  hold: KeptDataDirLock | null
  base: OpenedDatabase['ctx']
}

/** Opens the database and locks the data folder. A start that is refused leaves no server of ours behind. */
async function openAndLock(
  config: Config,
  log: Log,
  onEmbedded: ((embedded: EmbeddedPostgres) => void) | undefined,
): Promise<LockedDatabase> {
  let hold: KeptDataDirLock | null = null
  let server: EmbeddedPostgres | null = null
  try {
    const opened = await openDatabase(config, {
      waitMs: config.databaseWaitMs,
      onWait: reason =>
        log.warn(
          `Waiting up to ${config.databaseWaitMs / 1_000} s for the database, which does not answer: ${reason}`,
        ),
      name: processName(config.role),
      onPrimary: server => log.info({ server }, 'writing to this database server'),
      onIdleError: error => log.warn({ err: error }, 'an idle database connection was lost'),
      onWritesRefused: (reason, err) => log.error({ err, reason }, 'the database takes no writes'),
      async onEmbedded(embedded) {
        hold = await keepDataDirLocked(embedded, log)
        if (hold === null)
          throw new StartRefused(`Another Bursar is using ${config.dataDir}. Stop it, or set DATA_DIR.`)
        server = embedded
        onEmbedded?.(embedded)
      },
    })
    const { ctx: base, ...rest } = opened
    await refuseIfStranded(config, base, log)
    return { ...rest, base, hold }
  } catch (error) {
    await (hold as KeptDataDirLock | null)?.release()
    await (server as EmbeddedPostgres | null)?.stop()
    throw explainStart(error)
  }
}

/**
 * Payments whose provider was taken out of the environment would wait for ever without a word. In live mode the operator has
 * to say that this is meant: a name in PROVIDERS_PAUSED without keys.
 */
async function refuseIfStranded(config: Config, { db }: Pick<Context, 'db'>, log: Log): Promise<void> {
  const stranded = await findStranded(config, { db })
  if (stranded.length === 0) return
  const problem = describeStranded(stranded)
  const isMeant = stranded.every(({ accountId }) => config.pausedProviders.includes(accountId))
  if (config.mode === 'sandbox' || isMeant) return log.error({ stranded }, problem)
  await db.close()
  throw new StartRefused(`${problem}. If the keys are gone for good, set PROVIDERS_PAUSED alone.`)
}

/** Requests are only told that the database is unavailable; at the start the operator is told why. */
function explainStart(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const refusal = writeRefusal(error.cause)
  if (refusal !== null)
    return new StartRefused(`${refusal} If it is a standby, point DATABASE_URL at the primary.`)
  const cause = error.cause instanceof Error ? error.cause.message : error.message
  return new StartRefused(`The database cannot be reached: ${cause}. Check DATABASE_URL and that it runs.`)
}

/** Port 0 takes a free one; addresses made for payers must name the one it got. */
async function listen(app: FastifyInstance, config: Config): Promise<Config> {
  const { host, role } = config
  const [name, wanted] =
    role === 'worker' ? (['WORKER_PORT', config.workerPort] as const) : (['PORT', config.port] as const)
  try {
    await app.listen({ host, port: wanted })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartRefused(`Port ${wanted} on ${host} is in use. Set ${name} to a free one.`)
  }
  const { port } = app.server.address() as AddressInfo
  if (role === 'worker') return { ...config, workerPort: port }
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) }
}

/** Requests under way finish; a connection that one of them leaves open is closed once it is idle. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const reaper = setInterval(() => app.server.closeIdleConnections(), REAP_MS)
  await app.close()
  clearInterval(reaper)
}

type Watched = Pick<OpenedDatabase, 'sandboxClock' | 'embedded'> & {
  db: Database
  machine: Machine
  history: HealthHistory
  stopWork: () => Promise<unknown>
}

/**
 * Brings the embedded server back if it dies, follows a clock that another process moved, and stops working once a
 * newer Bursar has migrated the database: what it would write may not fit any more.
 */
function watch(
  { db, sandboxClock, embedded, machine, history, stopWork }: Watched,
  log: Log,
): NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = []
  const every = (ms: number, failure: string, act: () => Promise<void>): void => {
    let isBusy = false
    const timer = setInterval(() => {
      if (isBusy) return
      isBusy = true
      act()
        .catch((err: unknown) => log.warn({ err }, failure))
        .finally(() => (isBusy = false))
    }, ms)
    timers.push(timer)
  }
  /** Acts only when the database was written to: another process can change nothing without a write. */
  const everyIfWritten = (ms: number, failure: string, act: () => Promise<void>): void => {
    let last = ''
    every(ms, failure, async () => {
      const snapshot = await db.readSnapshot({ maxAgeMs: WATCH_MS / 2 })
      if (snapshot === last) return
      await act()
      last = snapshot
    })
  }
  if (embedded !== null) {
    const failure = 'restarting the embedded PostgreSQL failed'
    every(WATCH_MS, failure, async () => {
      if (!embedded.isSeen()) await embedded.ensureRunning()
    })
    // One that is there and does not answer.
    every(CONNECT_MS, failure, () => embedded.ensureRunning())
  }
  if (sandboxClock !== null) {
    const load = (): Promise<void> => loadOffset({ db, clock: sandboxClock })
    everyIfWritten(WATCH_MS, 'reading the sandbox clock offset failed', load)
  }
  every(MACHINE_MS, 'looking at the clock and the disk failed', async () => void (await machine.look()))
  every(MACHINE_MS, 'keeping the history of health failed', () => history.look())
  let isOutdated = false
  everyIfWritten(SCHEMA_MS, 'comparing the schema failed', async () => {
    if (isOutdated || (await compareSchema(db)) !== 'newer') return
    isOutdated = true
    log.error('a newer Bursar has migrated the database: this process takes no more work, upgrade it')
    await stopWork()
  })
  return timers
}

async function readTls(config: Config): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (config.tls === null) return undefined
  const [cert, key] = await Promise.all([readFile(config.tls.certFile), readFile(config.tls.keyFile)])
  return { cert, key }
}

/** What delivers events to subscribers, over connections that reach only where this configuration lets them. */
export function openDeliveries(
  { outbound: { nameServers }, webhooks }: Pick<Config, 'outbound' | 'webhooks'>,
  ctx: Context,
  log: Log,
): { deliveries: DeliveryEngine; closeDeliveries: () => Promise<void> } {
  const outbound = new HttpClient({
    policy: ctx.addressPolicy,
    ...(nameServers.length > 0 ? { nameServers } : {}),
    connectionsPerOrigin: webhooks.slotsPerEndpoint,
  })
  const deliveries = new DeliveryEngine(ctx, outbound, log, webhooks)
  const closeDeliveries = async (): Promise<void> => {
    await deliveries.stop()
    await outbound.close()
  }
  return { deliveries, closeDeliveries }
}
