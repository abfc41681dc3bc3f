import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'

/**
 * Runs a command as a container would without one: /opt holds nothing but the folder, /tmp is empty, everything else may
 * only be read, and the user has no privileges. Needs root and mount namespaces, as CI has them.
 */
export type Seal = {
  folder: string
  user: number
  env: Record<string, string>
  cwd: string
  writable?: string[]
}

const SCRIPT = `
set -e
mount --make-rprivate /
exec 3<"$FOLDER"
mount -t tmpfs tmpfs /opt
mkdir /opt/bursar
mount --bind /proc/self/fd/3 /opt/bursar
for path in $WRITABLE; do mount -t tmpfs tmpfs "$(dirname "$path")"; mkdir -m 0700 "$path"; chown "$USER_ID:$USER_ID" "$path"; done
mount -o remount,ro,bind /opt/bursar
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -o remount,ro,bind /
cd "$DIRECTORY"
exec 3<&-
exec setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups --no-new-privs --bounding-set=-all -- env -i "$@"`

export function spawnSealed(
  { folder, user, env, cwd, writable = [] }: Seal,
  command: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return spawn('unshare', ['--mount', 'sh', '-c', SCRIPT, 'sh', ...variables, ...command], {
    env: {
      PATH: process.env['PATH'],
      FOLDER: folder,
      DIRECTORY: cwd,
      USER_ID: String(user),
      WRITABLE: writable.join(' '),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** For `skip`: why, or false. */
export function skipUnsealed(): string | false {
  return process.getuid?.() === 0 ? false : 'mount namespaces need root'
}
