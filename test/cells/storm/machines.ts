import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { typeParsers } from '../../../src/platform/db/client.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'
import { startTestCluster, stopTestCluster } from '../../harness/postgres/cluster.ts'
import { freePort } from '../../harness/postgres/standby.ts'
import { waitFor } from '../../harness/wait.ts'
import { killWithChildren } from '../proxy.ts'

/** What a cell runs on, each to be killed by SIGKILL and started again where it was. */
export type Owner = { after(done: () => Promise<void> | void): void }

const ROOT = join(import.meta.dirname, '../../..')

/** What a killed server has confirmed is there when it starts again; the machine itself never fails here. */
const SETTINGS = [
  'synchronous_commit=on',
  'wal_level=logical',
  'max_wal_senders=20',
  'max_replication_slots=20',
  'max_logical_replication_workers=12',
  'max_worker_processes=16',
  'max_sync_workers_per_subscription=4',
]

/** A PostgreSQL server in a folder of its own, with one database. */
export class PostgresServer {
  readonly #folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bursar-cell-'))
  readonly #pool: pg.Pool
  readonly #host = join(this.#folder, 's')
  readonly url = `postgres://bursar@localhost/cell?host=${encodeURIComponent(this.#host)}`

  private constructor() {
    this.#pool = new pg.Pool({ connectionString: this.url, max: 3, types: typeParsers })
    this.#pool.on('error', () => {})
  }

  static async open(owner: Owner): Promise<PostgresServer> {
    const server = new PostgresServer()
    owner.after(async () => {
      await server.#pool.end()
      await stopTestCluster(server.#folder)
      rmSync(server.#folder, { recursive: true, force: true })
    })
    await server.start()
    const admin = new pg.Client({ host: server.#host, user: 'bursar', database: 'postgres' })
    await admin.connect()
    await admin.query('create database cell')
    await admin.end()
    return server
  }

  /** What the dead one held may be held for another moment. */
  async start(): Promise<void> {
    await waitFor(async () => {
      await startTestCluster(this.#folder, { settings: SETTINGS })
      return true
    }, 'PostgreSQL to start')
  }

  async kill(): Promise<void> {
    const pid = Number(readFileSync(join(this.#folder, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0])
    const pids = killWithChildren(pid)
    await waitFor(async () => !pids.some(isAlive), 'PostgreSQL to be dead')
  }

  sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await this.#pool.query<Row>(text, values)).rows
}

/** Not of a zombie: it is dead, and its parent has not asked for it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** A process of ours, in the same place whenever it is started. */
export class OurProcess {
  readonly #args: readonly string[]
  readonly #env: Record<string, string>
  #child: ChildProcess | null = null
  #said = ''

  constructor(owner: Owner, args: readonly string[], env: Record<string, string>) {
    this.#args = args
    this.#env = env
    owner.after(() => this.kill())
  }

  start(): void {
    const child = spawn(process.execPath, this.#args, {
      cwd: ROOT,
      env: { ...bareEnv(), ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (this.#said += String(part)))
    this.#child = child
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  /** All that it ever said, whichever start. */
  get said(): string {
    return this.#said
  }
}

/** A Bursar of a cell, with all its roles. */
export class BursarProcess extends OurProcess {
  readonly host: string

  private constructor(owner: Owner, port: number, env: Record<string, string>) {
    super(owner, ['src/app/main.ts'], { ...env, PORT: String(port) })
    this.host = `127.0.0.1:${port}`
  }

  static async prepare(owner: Owner, env: Record<string, string>): Promise<BursarProcess> {
    return new BursarProcess(owner, await freePort(), env)
  }

  async becomeReady(): Promise<void> {
    const isReady = async (): Promise<boolean> => (await fetch(`http://${this.host}/readyz`)).status === 200
    await waitFor(isReady, 'a process of a cell to be ready', { limitMs: 90_000 }).catch((error: unknown) => {
      throw new Error(`it said: ${this.said}`, { cause: error })
    })
  }
}
