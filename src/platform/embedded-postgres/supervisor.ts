/**
 * A real PostgreSQL that needs no installation: its programs come from npm, its data lives under DATA_DIR.
 * The server is a process of its own that outlives us, so a Bursar killed and started again finds it warm.
 * No data folder is ever deleted here.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { findBinaries, preparePaths, type ClusterPaths } from './paths.ts'
import type { EmbeddedConnection } from './client.ts'
import { initialiseCluster } from './initialise.ts'
import { chooseLauncher } from './launcher.ts'
import { readPostmaster, whereRuns } from './postmaster.ts'
import { bringUp, tailOf } from './server-process.ts'

export type EmbeddedPostgres = {
  /** pg client settings: host is the socket folder */
  readonly connection: EmbeddedConnection
  readonly how: 'initialised' | 'started' | 'attached'
  /** Whether its process is there: costs next to nothing, but says nothing of a server that hangs. */
  isSeen(): boolean
  /** Starts the server again if it has died; safe to call at any time and concurrently. */
  ensureRunning(): Promise<void>
  /** SIGINT (fast shutdown), waits until the process is gone (limit 30 s, then SIGQUIT). Idempotent. */
  stop(): Promise<void>
  /** SIGQUIT at once, no waiting: for a forced exit. */
  kill(): void
}

const FAST_STOP_LIMIT_MS = 30_000
const IMMEDIATE_STOP_LIMIT_MS = 10_000

export async function openEmbeddedPostgres(options: {
  dataDir: string
  /** Created if absent. */
  database?: string
}): Promise<EmbeddedPostgres> {
  const { initdb, postgres } = await findBinaries()
  const paths = await preparePaths(options.dataDir)
  const launcher = await chooseLauncher(paths)
  const initialised = await initialiseCluster(paths, initdb, launcher)

  const server = { paths, postgres, launcher }
  const wanted = { host: paths.socketDir, user: 'bursar', database: options.database ?? 'bursar' } as const
  const first = await bringUp(server, wanted)
  // A running server keeps the socket folder it was started with, and so does every later start.
  const connection = { ...wanted, host: first.host }

  let reviving: Promise<unknown> | null = null
  let stopping: Promise<void> | null = null
  return {
    connection,
    how: initialised ? 'initialised' : first.how,
    isSeen() {
      const found = readPostmaster(paths.cluster)
      return found?.ready === true && whereRuns(found.pid, paths.cluster) === 'here'
    },
    async ensureRunning() {
      // A pool that loses its connections during shutdown must not bring the server back.
      if (stopping !== null) throw new Error('the embedded PostgreSQL was stopped')
      reviving ??= bringUp(server, connection).finally(() => (reviving = null))
      await reviving
    },
    stop() {
      stopping ??= Promise.allSettled([reviving]).then(() => stopServer(paths))
      return stopping
    },
    kill() {
      signal(paths.cluster, 'SIGQUIT')
    },
  }
}

async function stopServer(paths: ClusterPaths): Promise<void> {
  if (await endedBy('SIGINT', FAST_STOP_LIMIT_MS, paths.cluster)) return
  if (await endedBy('SIGQUIT', IMMEDIATE_STOP_LIMIT_MS, paths.cluster)) return
  throw new Error(
    `PostgreSQL in ${paths.cluster} does not stop: its process ${readPostmaster(paths.cluster)?.pid} must be ` +
      `ended by hand\n${await tailOf(paths.log)}`,
  )
}

async function endedBy(name: 'SIGINT' | 'SIGQUIT', limitMs: number, cluster: string): Promise<boolean> {
  const pid = signal(cluster, name)
  if (pid === null) return true
  for (const end = Date.now() + limitMs; Date.now() < end; await wait(20)) {
    if (whereRuns(pid, cluster) !== 'here') return true
  }
  return false
}

/** Signals the cluster's server; null when there is none that we can see. Never signals a bare number. */
function signal(cluster: string, name: 'SIGINT' | 'SIGQUIT'): number | null {
  const found = readPostmaster(cluster)
  if (found === null || whereRuns(found.pid, cluster) !== 'here') return null
  try {
    process.kill(found.pid, name)
    return found.pid
  } catch {
    return null
  }
}
