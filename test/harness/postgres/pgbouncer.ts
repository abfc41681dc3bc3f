import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './standby.ts'
import { waitFor } from '../wait.ts'

type Owner = { after(done: () => Promise<void> | void): void }
type Options = { port: number; serverConnections: number }

/** Why tests with PgBouncer cannot run here; false if they can. */
export const NO_PGBOUNCER =
  spawnSync('pgbouncer', ['--version']).status === 0 ? false : 'no pgbouncer on this machine'

/** PgBouncer in transaction mode before a server on a port of this machine; answers its address. */
export async function startPgBouncer(owner: Owner, { port, serverConnections }: Options): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-pgbouncer-'))
  chmodSync(folder, 0o755)
  const listenPort = await freePort()
  const settings = [
    '[databases]',
    `bursar = host=127.0.0.1 port=${port} dbname=bursar user=bursar`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${serverConnections}`,
    'max_client_conn = 500',
    'server_login_retry = 1',
    'query_wait_timeout = 10',
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, `${settings.join('\n')}\n`)
  // It does not run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn('pgbouncer', ['-q', ...asUser, file], { stdio: 'ignore' })
  owner.after(async () => {
    if (pooler.exitCode === null && pooler.kill('SIGQUIT')) await once(pooler, 'close')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `postgres://bursar@127.0.0.1:${listenPort}/bursar`
  await waitFor(async () => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    await client.end()
    return true
  }, 'PgBouncer to answer')
  return url
}
