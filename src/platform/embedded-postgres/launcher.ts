import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { OWN_SERVER_HINT, type Account, type ClusterPaths } from './paths.ts'

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
