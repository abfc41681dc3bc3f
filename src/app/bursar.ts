import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createApp } from './routes.ts'
import { createJobs } from './jobs.ts'
import type { Config } from './config.ts'
import { holdDataDir, type DataDirHold } from './data-dir.ts'
import type { Readiness } from '../http/health.ts'
import type { FlexContext } from '../flex/flex-ground.ts'
import type { LoanContext } from '../loans/context.ts'
import { openConsole } from './installation.ts'
import { openCred } from './open-cred.ts'
import { openDeliveries } from './open-deliveries.ts'
import { openDues } from './open-dues.ts'
import { openErp } from './open-erp.ts'
import { openFlex } from './open-flex.ts'
import { openDatabase, type OpenedDatabase } from './open-database.ts'
import { openPages } from './open-pages.ts'
import { createSenders } from './senders.ts'
import { createProviders } from './open-till.ts'
import { JobRunner } from '../platform/jobs/job-runner.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { finishMove, loadOffset } from '../sandbox/clock/clock.service.ts'
import type { ErpContext } from '../erp/context.ts'
import { ImportEngine } from '../imports/import-engine.ts'
import type { ServedRoute } from '../http/route-table.ts'
import type { DeliveryEngine } from '../webhooks/engine/delivery-engine.service.ts'

/** A running Bursar. */
export type Bursar = OpenedDatabase & {
  /** As configured, with the port it really got. */
  config: Config
  worker: JobRunner
  deliveries: DeliveryEngine
  ctx: ErpContext
  flex: FlexContext
  cred: LoanContext
  /** What it serves; nothing where it only works. */
  routes: readonly ServedRoute[]
  /** In order: readiness, requests, work, database. */
  stop(): Promise<void>
}

/** A start that was refused for a reason a person can mend. */
class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

const WATCH_MS = 1_000
const REAP_MS = 100

export async function createBursar(
  wanted: Config,
  log: Log,
  onEmbedded?: (embedded: EmbeddedPostgres) => void,
): Promise<Bursar> {
  const { hold, ...opened } = await openAndHold(wanted, log, onEmbedded)
  const { ctx, sandboxClock, embedded } = opened
  const readiness: Readiness = { isDraining: false }
  const { ctx, bank } = createProviders(wanted, ctx)
  openDues(ctx)
  openPages(ctx)
  const { post, closeSenders } = await createSenders(wanted, ctx, log)
  const { ctx, closeErp } = openErp(wanted, ctx)
  const flex = openFlex(Object.assign(ctx, ctx))
  const { cred, lender } = openCred(flex)
  const worker = new JobRunner(createJobs(cred, bank, post), { clock: ctx.clock, log })
  const { deliveries, closeDeliveries } = openDeliveries(wanted, ctx, log)
  const imports = new ImportEngine(ctx, log)
  const timers = watch(opened, log)
  let app: FastifyInstance | null = null
  const stop = async (drainMs: number): Promise<void> => {
    readiness.isDraining = true
    await wait(drainMs)
    // A request that waits for an ERP is answered at once, instead of holding everything up for its 15 seconds.
    await Promise.all([app === null ? null : closeServer(app), closeErp()])
    await Promise.all([worker.stop(), closeDeliveries(), imports.stop()])
    closeSenders()
    for (const timer of timers) clearInterval(timer)
    await hold?.release()
    await ctx.db.close()
    await embedded?.stop()
  }
  try {
    let config = wanted
    if (wanted.role !== 'worker') {
      const sandbox =
        sandboxClock === null || bank === null || lender === null
          ? null
          : { db: ctx.db, clock: sandboxClock, worker, ctx, bank, cred, lender }
      app = await createApp({
        ...wanted,
        ctx,
        ctx,
        flex,
        cred,
        log,
        sandbox,
        readiness,
        installation: openConsole(wanted, worker),
        tls: await readTls(wanted),
      })
      config = await listen(app, wanted)
      ctx.publicUrl = config.publicUrl
    }
    if (wanted.role !== 'api') {
      worker.start()
      deliveries.start()
      imports.start()
      if (sandboxClock !== null)
        finishMove({ db: ctx.db, clock: sandboxClock, worker }).catch((err: unknown) =>
          log.warn({ err }, 'a move of the clock could not be finished'),
        )
    }
    const routes = app?.routeTable ?? []
    return {
      ...opened,
      config,
      worker,
      deliveries,
      ctx,
      flex,
      cred,
      routes,
      stop: () => stop(wanted.drainMs),
    }
  } catch (error) {
    await stop(0)
    throw error
  }
}

type LockedDatabase = OpenedDatabase & { hold: DataDirHold | null }

/** The context, with the data folder held. A start that is refused leaves no server of ours behind. */
async function openAndHold(
  config: Config,
  log: Log,
  onEmbedded: ((embedded: EmbeddedPostgres) => void) | undefined,
): Promise<LockedDatabase> {
  let hold: DataDirHold | null = null
  let server: EmbeddedPostgres | null = null
  try {
    const opened = await openDatabase(config, {
      onIdleError: error => log.warn({ err: error }, 'an idle database connection was lost'),
      async onEmbedded(embedded) {
        hold = await holdDataDir(embedded, log)
        if (hold === null)
          throw new StartRefused(`Another Bursar is using ${config.dataDir}. Stop it, or set DATA_DIR.`)
        server = embedded
        onEmbedded?.(embedded)
      },
    })
    return { ...opened, hold }
  } catch (error) {
    await (hold as DataDirHold | null)?.release()
    await (server as EmbeddedPostgres | null)?.stop()
    throw explainStart(error)
  }
}

/** What an ERP is told in passing, an operator has to know at once. */
function explainStart(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const cause = error.cause instanceof Error ? error.cause.message : error.message
  return new StartRefused(`The database cannot be reached: ${cause}. Check DATABASE_URL and that it runs.`)
}

/** Port 0 takes a free one; addresses made for payers must name the one it got. */
async function listen(app: FastifyInstance, config: Config): Promise<Config> {
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartRefused(`Port ${config.port} on ${config.host} is in use. Set PORT to a free one.`)
  }
  const { port } = app.server.address() as AddressInfo
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) }
}

/** Requests under way finish; a connection that one of them leaves open is closed once it is idle. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const reaper = setInterval(() => app.server.closeIdleConnections(), REAP_MS)
  await app.close()
  clearInterval(reaper)
}

/** Brings the embedded server back if it dies, and follows a clock that another process moved. */
function watch({ ctx, sandboxClock, embedded }: OpenedDatabase, log: Log): NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = []
  const everySecond = (failure: string, act: () => Promise<void>): void => {
    let isBusy = false
    const timer = setInterval(() => {
      if (isBusy) return
      isBusy = true
      act()
        .catch((err: unknown) => log.warn({ err }, failure))
        .finally(() => (isBusy = false))
    }, WATCH_MS)
    timers.push(timer)
  }
  if (embedded !== null) {
    everySecond('the embedded PostgreSQL could not be started again', () => embedded.ensureRunning())
  }
  if (sandboxClock !== null) {
    everySecond('the clock could not be read', () => loadOffset({ db: ctx.db, clock: sandboxClock }))
  }
  return timers
}

async function readTls(config: Config): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (config.tls === null) return undefined
  const [cert, key] = await Promise.all([readFile(config.tls.certFile), readFile(config.tls.keyFile)])
  return { cert, key }
}
