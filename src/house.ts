import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import type { Readiness } from './http/health.ts'
import { openGround, type OpenGround } from './open.ts'
import { lockDataDir } from './platform/data-dir-lock.ts'
import { DueWorker } from './platform/due-work.ts'
import type { EmbeddedPostgres } from './platform/embedded-postgres/supervisor.ts'
import type { Log } from './platform/log.ts'
import { loadOffset } from './sandbox/clock.service.ts'
import { dueWork } from './worker.ts'

/** A running Bursar. */
export type House = OpenGround & {
  /** As configured, with the port it really got. */
  config: Config
  worker: DueWorker
  /** In order: readiness, requests, work, database. */
  stop(): Promise<void>
}

/** A start that was refused for a reason a person can mend. */
class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

const EMBEDDED_WATCH_MS = 1_000
const CLOCK_WATCH_MS = 1_000

export async function startHouse(
  wanted: Config,
  log: Log,
  onEmbedded?: (embedded: EmbeddedPostgres) => void,
): Promise<House> {
  let releaseDataDir: (() => Promise<void>) | null = null
  const opened = await openGround(wanted, {
    onIdleError: error => log.warn({ err: error }, 'an idle database connection was lost'),
    async onEmbedded(embedded) {
      const lock = await lockOnceUp(embedded)
      if (lock === null)
        throw new StartRefused(`Another Bursar is using ${wanted.dataDir}. Stop it, or set DATA_DIR.`)
      releaseDataDir = () => lock.release()
      onEmbedded?.(embedded)
    },
  })
  const { ground, sandboxClock, embedded } = opened
  const readiness: Readiness = { isDraining: false }
  const worker = new DueWorker(dueWork(ground), ground.clock, log)
  const timers = watch(opened, log)
  let app: FastifyInstance | null = null
  const stop = async (): Promise<void> => {
    readiness.isDraining = true
    await wait(wanted.drainMs)
    await app?.close()
    await worker.stop()
    for (const timer of timers) clearInterval(timer)
    await releaseDataDir?.()
    await ground.db.close()
    await embedded?.stop()
  }
  try {
    let config = wanted
    if (wanted.role !== 'worker') {
      const sandbox = sandboxClock === null ? null : { db: ground.db, clock: sandboxClock, worker }
      app = await createApp({ ...wanted, ground, log, sandbox, readiness, tls: await readTls(wanted) })
      config = await listen(app, wanted)
      ground.publicUrl = config.publicUrl
    }
    if (wanted.role !== 'api') worker.start()
    return { ...opened, config, worker, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A command that is just ending may stop the server between our attaching and our lock: then it is started again. */
async function lockOnceUp(embedded: EmbeddedPostgres): Promise<Awaited<ReturnType<typeof lockDataDir>>> {
  try {
    return await lockDataDir(embedded.connection)
  } catch {
    await embedded.ensureRunning()
    return lockDataDir(embedded.connection)
  }
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

/** Brings the embedded server back if it dies, and follows a clock that another process moved. */
function watch({ ground, sandboxClock, embedded }: OpenGround, log: Log): NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = []
  const every = (ms: number, failure: string, act: () => Promise<void>): void => {
    timers.push(setInterval(() => void act().catch((err: unknown) => log.warn({ err }, failure)), ms))
  }
  if (embedded !== null) {
    every(EMBEDDED_WATCH_MS, 'the embedded PostgreSQL could not be started again', () =>
      embedded.ensureRunning(),
    )
  }
  if (sandboxClock !== null) {
    every(CLOCK_WATCH_MS, 'the clock could not be read', () =>
      loadOffset({ db: ground.db, clock: sandboxClock }),
    )
  }
  return timers
}

async function readTls(config: Config): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (config.tls === null) return undefined
  const [cert, key] = await Promise.all([readFile(config.tls.certFile), readFile(config.tls.keyFile)])
  return { cert, key }
}
