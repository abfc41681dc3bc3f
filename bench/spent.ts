import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { NOTHING_SENT, type SentStatements } from '../test/harness/statement-count.ts'

/**
 * What has been spent so far: CPU time of a process, of the helper processes below it and of the whole database server,
 * with what was asked of the server. CPU time depends much less than a rate on what else the machine does.
 */
export type Spent = SentStatements & {
  nodeMs: number
  helpersMs: number
  postgresMs: number
  walBytes: number
  diskBytes: number
}

/** A server process, the folder of the database server and the database that it uses. */
export type Spender = {
  pid: number
  folder: string
  databaseUrl: string
  readSent: () => Promise<SentStatements>
}

const MS_PER_TICK = 10

type Process = { pid: string; parent: string; own: number; ended: number }

function listProcesses(): Process[] {
  return readdirSync('/proc').flatMap(pid => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number)
      return [{ pid, parent: fields[1] ?? '', own: user + system, ended: endedUser + endedSystem }]
    } catch {
      // It ended between the two reads.
      return []
    }
  })
}

/** Of a process by itself, and of all that it started, those that have ended included. */
function cpuOf(root: string, all: readonly Process[]): { ownMs: number; belowMs: number } {
  const process = all.find(({ pid }) => pid === root)
  if (process === undefined) throw new Error(`the process ${root} has ended`)
  const children = all.filter(({ parent }) => parent === root).map(({ pid }) => cpuOf(pid, all))
  const below = children.reduce((sum, { ownMs, belowMs }) => sum + ownMs + belowMs, 0)
  return { ownMs: process.own * MS_PER_TICK, belowMs: process.ended * MS_PER_TICK + below }
}

/** CPU time of a process and of all that it started. */
export function cpuOfTree(pid: number): number {
  const { ownMs, belowMs } = cpuOf(String(pid), listProcesses())
  return ownMs + belowMs
}

function cpuOfServer(folder: string): number {
  const postmaster = readFileSync(join(folder, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
  return cpuOfTree(Number(postmaster))
}

/** What each of so many cost between two moments. */
export function eachOf(before: Spent, after: Spent, count: number): Spent {
  const keys = Object.keys(after) as (keyof Spent)[]
  return Object.fromEntries(keys.map(key => [key, (after[key] - before[key]) / count])) as Spent
}

/** By a part of Bursar that measures itself; the bytes are measured from outside. */
export function spentByThisProcess(folder: string, sent: SentStatements): Spent {
  const { user, system } = process.cpuUsage()
  const [nodeMs, postgresMs] = [(user + system) / 1_000, cpuOfServer(folder)]
  return { ...NOTHING, nodeMs, postgresMs, ...sent }
}

export const NOTHING: Spent = {
  nodeMs: 0,
  helpersMs: 0,
  postgresMs: 0,
  ...NOTHING_SENT,
  walBytes: 0,
  diskBytes: 0,
}

/** Between two moments; each thing that is read is read in the same order, so what reading costs falls out. */
export class SpentMeter {
  readonly #spender: Spender
  readonly #client: pg.Client

  private constructor(spender: Spender, client: pg.Client) {
    this.#spender = spender
    this.#client = client
  }

  static async open(spender: Spender): Promise<SpentMeter> {
    const client = new pg.Client({ connectionString: spender.databaseUrl })
    // A run that failed ends the server under it; what failed is told, not this.
    client.on('error', () => {})
    await client.connect()
    return new SpentMeter(spender, client)
  }

  /** What `act` spent for each of the things that it says it did. */
  async measure(act: () => Promise<number>): Promise<{ each: Spent; count: number }> {
    const before = await this.#read()
    const count = await act()
    const after = await this.#read()
    return { each: eachOf(before, after, count), count }
  }

  /** Waits until a query over the database answers 0. */
  async untilNone(text: string, limitMs = 600_000): Promise<void> {
    const deadline = Date.now() + limitMs
    for (;;) {
      const { rows } = await this.#client.query<{ count: number }>(`select (${text})::int as count`)
      if (rows[0]?.count === 0) return
      if (Date.now() > deadline) throw new Error(`${rows[0]?.count} are left: ${text}`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  async #read(): Promise<Spent> {
    const { pid, folder, readSent } = this.#spender
    const { rows } = await this.#client.query<{ walBytes: number; diskBytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes",
         pg_database_size(current_database())::float8 as "diskBytes"`,
    )
    const [disk] = rows
    if (disk === undefined) throw new Error('the database does not say how large it is')
    const sent = await readSent()
    const { ownMs: nodeMs, belowMs: helpersMs } = cpuOf(String(pid), listProcesses())
    return { nodeMs, helpersMs, postgresMs: cpuOfServer(folder), ...sent, ...disk }
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

export const cpuMs = ({ nodeMs, helpersMs, postgresMs }: Spent): number => nodeMs + helpersMs + postgresMs

export function describeSpent(spent: Spent): string {
  const { nodeMs, helpersMs, postgresMs, statements, commits, flushes, walBytes } = spent
  const ms = [
    `node ${nodeMs.toFixed(2)}`,
    `helpers ${helpersMs.toFixed(2)}`,
    `PostgreSQL ${postgresMs.toFixed(2)}`,
  ]
  const asked = `${statements.toFixed(1)} statements, ${commits.toFixed(1)} commits (${flushes.toFixed(1)} of them waited for the disk), ${(walBytes / 1_000).toFixed(1)} kB of log`
  return `${ms.join(' + ')} ms, ${asked}`
}
