import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { SERVER_SETTINGS } from '../../../src/platform/embedded-postgres/server-process.ts'
import { waitFor } from '../wait.ts'

/** A bare PostgreSQL of the tests' own, fast and forgetful. The product's supervisor has tests of its own. */
const require = createRequire(import.meta.url)

function binary(name: string): string {
  const arch = `${process.platform}-${process.arch}`
  const main = require.resolve(`@embedded-postgres/${arch}`)
  return join(dirname(dirname(main)), 'native', 'bin', name)
}

/** PostgreSQL refuses to run as root; a user namespace in which we are nobody satisfies it. */
function asNobody(command: string, args: string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [command, args]
  return ['unshare', ['-U', '--map-user=65534', '--map-group=65534', '--', command, ...args]]
}

/** A durable one is set up as the product sets up its own. */
export type ClusterOptions = { durable?: boolean; port?: number; settings?: string[] }

const FORGETFUL = [
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'shared_buffers=128MB',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'jit=off',
]

/** Starts a cluster in the folder, making it first if need be; answers its socket folder. */
export async function startTestCluster(folder: string, options: ClusterOptions = {}): Promise<string> {
  const data = join(folder, 'pg')
  try {
    readFileSync(join(data, 'PG_VERSION'))
  } catch {
    const flags = ['-D', data, '-U', 'bursar', '--auth=trust', '--encoding=UTF8', '--locale-provider=builtin']
    const [command, args] = asNobody(binary('initdb'), [
      ...flags,
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
      ...(options.durable === true ? [] : ['--no-sync']),
    ])
    const result = spawnSync(command, args, { encoding: 'utf8' })
    if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr}`)
  }
  mkdirSync(join(folder, 's'), { recursive: true, mode: 0o700 })
  await startPostgres(folder, options)
  return join(folder, 's')
}

async function startPostgres(folder: string, options: ClusterOptions): Promise<ChildProcess> {
  const socket = join(folder, 's')
  const { port = 5432 } = options
  const settings = [
    `port=${port}`,
    ...(options.durable === true ? SERVER_SETTINGS : FORGETFUL),
    'max_connections=300',
    ...(options.settings ?? []),
  ]
  const [command, args] = asNobody(binary('postgres'), [
    '-D',
    join(folder, 'pg'),
    '-k',
    socket,
    ...settings.flatMap(setting => ['-c', setting]),
  ])
  const log = openSync(join(folder, 'postgres.log'), 'a')
  const server = spawn(command, args, { detached: true, stdio: ['ignore', log, log], cwd: '/' })
  server.unref()
  await waitFor(async () => {
    if (server.exitCode !== null) return true
    const client = new pg.Client({ host: socket, port, user: 'bursar', database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    await client.end()
    return true
  }, `PostgreSQL in ${folder} to answer`)
  if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${lastLines(folder)}`)
  return server
}

function lastLines(folder: string): string {
  return readFileSync(join(folder, 'postgres.log'), 'utf8').split('\n').slice(-5).join('\n')
}

/** At once: nothing in it is worth a checkpoint. `SIGINT` stops it in order. */
export async function stopTestCluster(folder: string, signal: NodeJS.Signals = 'SIGQUIT'): Promise<void> {
  let pid: number
  try {
    pid = Number(readFileSync(join(folder, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(pid, signal)
  } catch {
    return
  }
  await waitFor(() => {
    try {
      readFileSync(join(folder, 'pg', 'postmaster.pid'))
      return Promise.resolve(false)
    } catch {
      return Promise.resolve(true)
    }
  }, 'PostgreSQL to stop')
}
