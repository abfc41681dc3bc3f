import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type EmbeddedConnection,
  type ClusterPaths,
  findBinaries,
  OWN_SERVER_HINT,
  POSTGRES_MAJOR,
  preparePaths,
  syncFolder,
} from './paths.ts'
import {
  chooseLauncher,
  commandFor,
  type Launcher,
  bringUp,
  readPostmaster,
  tailOf,
  whereRuns,
} from './server-process.ts'

/**
 * A real PostgreSQL that needs no installation: its programs come from npm, its data lives under DATA_DIR.
 * The server is a process of its own that outlives us, so a Bursar killed and started again finds it warm.
 * No data folder is ever deleted here.
 */

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

const INITDB_LIMIT_MS = 120_000
const LEFTOVER_AGE_MS = 10 * 60_000
const DRAFT_PREFIX = 'pg.init-'

const INITDB_ARGS = [
  ['-U', 'bursar', '--auth=trust', '--encoding=UTF8', '--no-instructions'],
  // The built-in provider sorts alike on every machine, so an index survives a move or a system upgrade.
  ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
].flat()

/**
 * Makes the cluster when there is none; says whether this call made it. The work happens in a draft folder
 * that is renamed when whole: a kill leaves only a draft, and of two first starts one rename wins.
 */
async function initialiseCluster(paths: ClusterPaths, initdb: string, launcher: Launcher): Promise<boolean> {
  if (await isCluster(paths.cluster)) return false
  await removeOldDrafts(paths.dataDir)
  const draft = join(paths.dataDir, DRAFT_PREFIX + randomBytes(6).toString('hex'))
  try {
    await runInitdb(draft, initdb, launcher)
    await rename(draft, paths.cluster)
    await syncFolder(paths.dataDir)
    return true
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    if (await isCluster(paths.cluster)) return false
    throw new Error(
      `${paths.cluster} is in the way: it is not a PostgreSQL cluster; move it away or choose another DATA_DIR`,
      { cause: error },
    )
  }
}

async function isCluster(folder: string): Promise<boolean> {
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new Error(`cannot read ${folder}: start Bursar as the user who owns it`, { cause: error })
  })
  if (version === null) return false
  if (version.trim() === POSTGRES_MAJOR) return true
  throw new Error(
    `${folder} was made by PostgreSQL ${version.trim()} and this Bursar brings ${POSTGRES_MAJOR}: ` +
      'move the data over with a dump, or run the Bursar release that made it',
  )
}

async function runInitdb(draft: string, initdb: string, launcher: Launcher): Promise<void> {
  const { command, args, options } = commandFor(launcher, initdb, ['-D', draft, ...INITDB_ARGS])
  // Its own process group keeps a Ctrl-C at our terminal from reaching it, so that the start ends in order.
  const child = spawn(command, args, {
    ...options,
    detached: true,
    timeout: INITDB_LIMIT_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  const ended = await once(child, 'close').catch((error: Error) => error)
  if (!(ended instanceof Error) && ended[0] === 0) return
  const why = ended instanceof Error ? ended.message : `initdb ended with ${String(ended[0] ?? ended[1])}`
  throw new Error(
    `the database could not be created in ${draft}: check that user ${launcher.account.uid} may write ` +
      `there and that the disk has room, ${OWN_SERVER_HINT}\n${said.trim().slice(-2_000) || why}`,
  )
}

/** Only drafts, and only old ones: a young draft may be another process's first start. */
async function removeOldDrafts(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue
    const draft = join(dataDir, name)
    const found = await stat(draft).catch(() => null)
    if (found === null || Date.now() - found.mtimeMs < LEFTOVER_AGE_MS) continue
    await rm(draft, { recursive: true, force: true })
  }
}
