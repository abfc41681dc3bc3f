import { type ChildProcess, spawn, spawnSync, execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, realpath, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  answers,
  type EmbeddedConnection,
  type ClusterPaths,
  OWN_SERVER_HINT,
  prepareSocketDir,
  type Account,
} from './paths.ts'
import { promisify } from 'node:util'

/**
 * Brings the server up, whatever state an earlier run left behind. Each round looks afresh:
 *
 *   a server runs in the cluster      wait until it is ready and answers: attached, or started if it is ours
 *   our server is coming up           wait
 *   our server ended                  again, if it met the remains of a dying one; otherwise give up
 *   nobody                            start one
 *
 * Two processes doing this at once need no further agreement: the server's own lock file lets one of their
 * servers live, and the other process finds it in its next round.
 */

type Server = { paths: ClusterPaths; postgres: string; launcher: Launcher }
type BroughtUp = { how: 'started' | 'attached'; host: string }

/** Long, because recovery after a crash replays up to max_wal_size of log before it answers. */
const READY_LIMIT_MS = 120_000
/** A dying server's remains are gone in a second or two; past this they will not go by themselves. */
const RETRY_LIMIT_MS = 20_000
const ROUND_MS = 10
const LOG_LIMIT_BYTES = 20 * 1024 * 1024

export const SERVER_SETTINGS = [
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'shared_buffers=256MB',
  'max_connections=100',
  'max_wal_size=2GB',
  // An answered payment must survive a power cut.
  'fsync=on',
  'synchronous_commit=on',
  // What an online backup needs.
  'wal_level=replica',
  'timezone=UTC',
  'log_timezone=UTC',
]

/** Messages of a start that met a server not quite gone, or one that another process has just started. */
const WORTH_ANOTHER_TRY = /lock file|shared memory block|starting up/

type Attempt = { child: ChildProcess; logStart: number; failure: Error | null }

export async function bringUp(server: Server, connection: EmbeddedConnection): Promise<BroughtUp> {
  const { paths } = server
  const begun = Date.now()
  let attempt: Attempt | null = null
  for (; Date.now() - begun < READY_LIMIT_MS; await wait(ROUND_MS)) {
    const found = readPostmaster(paths.cluster)
    if (found !== null && whereRuns(found.pid, paths.cluster) === 'here') {
      if (!found.ready || !(await answers({ ...connection, host: found.socketDir }))) continue
      return { how: attempt?.child.pid === found.pid ? 'started' : 'attached', host: found.socketDir }
    }
    if (attempt !== null) {
      if (isAlive(attempt)) continue
      await assertWorthAnotherTry(attempt, paths, Date.now() - begun)
      await wait(100)
    } else if (found !== null && (await answers(connection))) {
      // Its process is out of our sight, as in a second container on the same folder.
      return { how: 'attached', host: connection.host }
    }
    if (clearEmptyLocks(paths, connection.host)) attempt = await launch(server, connection.host)
  }
  throw new Error(
    `PostgreSQL is not ready after ${READY_LIMIT_MS / 1000} s. It was left running, since it may be ` +
      `recovering: start Bursar again to go on waiting, ${OWN_SERVER_HINT}\n${await tailOf(paths.log)}`,
  )
}

async function launch(server: Server, socketDir: string): Promise<Attempt> {
  const { paths, postgres, launcher } = server
  if (socketDir !== paths.dataDir) await prepareSocketDir(socketDir, launcher.account)
  const { command, args, options } = commandFor(launcher, postgres, [
    '-D',
    paths.cluster,
    '-k',
    socketDir,
    ...SERVER_SETTINGS.flatMap(setting => ['-c', setting]),
  ])
  const stale = staleHolder(paths.cluster, socketDir)
  const env = stale === null ? options.env : { ...options.env, PG_GRANDPARENT_PID: `${stale}` }
  const log = await openLog(paths.log, launcher)
  try {
    const logStart = (await log.stat()).size
    // Detached and with its own log: it outlives us, and a Ctrl-C at our terminal does not reach it.
    const child = spawn(command, args, {
      ...options,
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    const attempt: Attempt = { child, logStart, failure: null }
    child.on('error', error => (attempt.failure = error))
    child.unref()
    return attempt
  } finally {
    await log.close()
  }
}

async function openLog(file: string, launcher: Launcher) {
  const size = await stat(file).then(
    found => found.size,
    () => 0,
  )
  if (size > LOG_LIMIT_BYTES) await rename(file, `${file}.1`)
  const log = await open(file, 'a', 0o600)
  const { uid, gid } = launcher.account
  if (uid !== process.getuid?.()) await log.chown(uid, gid)
  return log
}

function isAlive({ child, failure }: Attempt): boolean {
  return failure === null && child.exitCode === null && child.signalCode === null
}

async function assertWorthAnotherTry(attempt: Attempt, paths: ClusterPaths, spentMs: number): Promise<void> {
  const said = await tailOf(paths.log, attempt.logStart)
  if (attempt.failure === null && WORTH_ANOTHER_TRY.test(said) && spentMs < RETRY_LIMIT_MS) return
  throw new Error(
    `PostgreSQL did not start in ${paths.cluster}: its log ${paths.log} says why, and it must be put right ` +
      `there, ${OWN_SERVER_HINT}\n${attempt.failure?.message ?? ''}${said}`,
    { cause: attempt.failure },
  )
}

const TAIL_BYTES = 4_096

export async function tailOf(file: string, from = 0): Promise<string> {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return ''
  try {
    const { size } = await handle.stat()
    const start = Math.max(from, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(TAIL_BYTES), position: start })
    return buffer.toString('utf8', 0, bytesRead).trimEnd()
  } finally {
    await handle.close()
  }
}

/**
 * Who holds the cluster. The server's lock file names a process, but that process may be a zombie, may have
 * died with the number given to a stranger, or may live in another container. A server's working folder is
 * always its cluster and a zombie has none, so the folder decides, never the bare number.
 *
 * Synchronous on purpose: these are single reads of tiny files, and a forced exit has no time to wait.
 */

type Postmaster = { pid: number; socketDir: string; ready: boolean }

export function readPostmaster(cluster: string): Postmaster | null {
  const lines = (readText(join(cluster, 'postmaster.pid')) ?? '').split('\n')
  // A server in single-user mode writes its number negated.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  if (!(pid > 0)) return null
  return { pid, socketDir: lines[4] ?? '', ready: (lines[7] ?? '').startsWith('ready') }
}

/** 'unknown' is a process of another user: never ours to signal, and the server judges it well itself. */
export function whereRuns(pid: number, cluster: string): 'here' | 'elsewhere' | 'unknown' {
  const folder = process.platform === 'linux' ? `/proc/${pid}/cwd` : macWorkingFolders(['-p', `${pid}`])[0]
  if (folder === undefined) return 'elsewhere'
  try {
    return isSameFolder(folder, cluster) ? 'here' : 'elsewhere'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' || code === 'EPERM' ? 'unknown' : 'elsewhere'
  }
}

/**
 * The process number that a new server must not take for a living rival, or null. A killed server leaves its
 * number in the lock files; PG_GRANDPARENT_PID makes the next one look past it without any file deleted.
 */
function staleHolder(cluster: string, socketDir: string): number | null {
  const socketLock = Number.parseInt(readText(join(socketDir, '.s.PGSQL.5432.lock')) ?? '', 10)
  const pid = readPostmaster(cluster)?.pid ?? socketLock
  return pid > 0 && whereRuns(pid, cluster) === 'elsewhere' ? pid : null
}

const EMPTY_LOCK_AGE_MS = 2_000

/**
 * An empty lock file (a crash between creating and filling it) blocks every later start for ever. It is
 * removed once too old to be a start in progress and no server process is left; false says: not yet.
 */
function clearEmptyLocks(paths: ClusterPaths, socketDir: string): boolean {
  for (const file of [join(paths.cluster, 'postmaster.pid'), join(socketDir, '.s.PGSQL.5432.lock')]) {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined || found.size > 0) continue
    if (Date.now() - found.mtimeMs < EMPTY_LOCK_AGE_MS || isAnyoneIn(paths.cluster)) return false
    rmSync(file, { force: true })
  }
  return true
}

function isAnyoneIn(cluster: string): boolean {
  if (process.platform === 'linux') {
    return readdirSync('/proc').some(
      name => /^\d+$/.test(name) && whereRuns(Number(name), cluster) === 'here',
    )
  }
  return macWorkingFolders(['-c', 'postgres']).some(folder => isSameFolder(folder, cluster))
}

/** macOS has no /proc; its lsof prints the working folder on a line that begins with `n`. */
function macWorkingFolders(selection: string[]): string[] {
  const { stdout } = spawnSync('/usr/sbin/lsof', ['-a', '-d', 'cwd', '-Fn', ...selection], {
    encoding: 'utf8',
    timeout: 5_000,
  })
  const lines = (stdout ?? '').split('\n')
  return lines.filter(line => line.startsWith('n')).map(line => line.slice(1))
}

/** Compares inodes, because paths differ through links and mounts. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)]
  return a.dev === b.dev && a.ino === b.ino
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** How to reach the server of a data folder as it runs now; null: it does not. Starts and changes nothing. */
export async function findRunning(dataDir: string): Promise<EmbeddedConnection | null> {
  const folder = await realpath(dataDir).catch(() => null)
  if (folder === null) return null
  const cluster = join(folder, 'pg')
  const postmaster = readPostmaster(cluster)
  if (postmaster === null || whereRuns(postmaster.pid, cluster) === 'elsewhere') return null
  return { host: postmaster.socketDir, user: 'bursar', database: 'bursar' }
}

/** How to run a PostgreSQL program: as whom, and behind which command. */
export type Launcher = { account: Account; prefix: string[] }

/**
 * The server gets none of our environment: it may hold secrets, and PGPORT or a foreign locale would change
 * the socket's name and the wording of the log that we read.
 */
const SERVER_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }

/** The kernel sees root, the server sees `nobody`: enough to pass its refusal to be root. */
const NAMESPACE = ['-U', '--map-user=65534', '--map-group=65534', '--']

/**
 * PostgreSQL refuses to run as root. An ordinary user runs it directly; root hands it to the owner of the
 * folder, or, when root owns the folder too, puts it in a user namespace.
 */
export async function chooseLauncher(paths: ClusterPaths): Promise<Launcher> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  if (self.uid !== 0) return { account: self, prefix: [] }
  const owner = await stat(paths.cluster).catch(() => stat(paths.dataDir))
  if (owner.uid !== 0) return { account: { uid: owner.uid, gid: owner.gid }, prefix: [] }
  try {
    const probe = { env: SERVER_ENV, cwd: '/', timeout: 5_000 }
    await promisify(execFile)('unshare', [...NAMESPACE, 'true'], probe)
  } catch (cause) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine allows no user namespace to hide that: ' +
        `start Bursar as an ordinary user, or give ${paths.dataDir} to one (chown -R), ${OWN_SERVER_HINT}`,
      { cause },
    )
  }
  return { account: self, prefix: ['unshare', ...NAMESPACE] }
}

/** The command line for `program`, with the options that `spawn` and `execFile` share. */
export function commandFor(launcher: Launcher, program: string, args: string[]) {
  const [command = program, ...rest] = [...launcher.prefix, program, ...args]
  const { uid, gid } = launcher.account
  // Setting even one's own ids needs a privilege, so they are named only to change them.
  const identity = uid === process.getuid?.() ? {} : { uid, gid }
  return { command, args: rest, options: { env: SERVER_ENV, cwd: '/', ...identity } }
}
