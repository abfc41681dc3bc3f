import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { realpath } from 'node:fs/promises'
import type { ClusterPaths } from './paths.ts'
import type { EmbeddedConnection } from './client.ts'

/**
 * Who holds the cluster. The server's lock file names a process, but that process may be a zombie, may have
 * died with the number given to a stranger, or may live in another container. A server's working folder is
 * always its cluster and a zombie has none, so the folder decides, never the bare number.
 *
 * Synchronous on purpose: these are single reads of tiny files, and a forced exit has no time to wait.
 */

export type Postmaster = { pid: number; socketDir: string; ready: boolean }

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
export function staleHolder(cluster: string, socketDir: string): number | null {
  const socketLock = Number.parseInt(readText(join(socketDir, '.s.PGSQL.5432.lock')) ?? '', 10)
  const pid = readPostmaster(cluster)?.pid ?? socketLock
  return pid > 0 && whereRuns(pid, cluster) === 'elsewhere' ? pid : null
}

const EMPTY_LOCK_AGE_MS = 2_000

/**
 * An empty lock file (a crash between creating and filling it) blocks every later start for ever. It is
 * removed once too old to be a start in progress and no server process is left; false says: not yet.
 */
export function clearEmptyLocks(paths: ClusterPaths, socketDir: string): boolean {
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
