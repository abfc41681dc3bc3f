import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import manifest from '../package.json' with { type: 'json' }
import { readConfig } from '../src/app/config.ts'
import { openDatabase } from '../src/app/open-database.ts'
import { startTestCluster, stopTestCluster } from '../test/harness/postgres/cluster.ts'
import type { SentStatements } from '../test/harness/statement-count.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import type { Spender } from './spent.ts'

/** A durable PostgreSQL in a folder that goes with it. */
export type Cluster = {
  folder: string
  /** Makes a database without anything in it. */
  makeEmpty: (name: string) => Promise<string>
  /** Makes a database as Bursar leaves it after its first start, and answers its address. */
  makeDatabase: (name: string) => Promise<string>
  close(): Promise<void>
}

/** A process that answers requests, and what it spends. */
export type Server = Spender & { origin: string }

/** Bursar and its bare peer, each over a database of its own: what the peer writes causes no work in Bursar. */
export type Rig = { bare: Server; full: Server; close(): Promise<void> }

/** Bursar runs as `npm start` runs it; its peers are plain Node. */
export const START_FLAGS: readonly string[] = manifest.scripts.start.match(/--\S+/g) ?? []

const MAIN = /\S+main\.ts$/.exec(manifest.scripts.start)?.[0] ?? ''

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export async function openCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-'))
  const host = await startTestCluster(folder, { durable: true })
  const create = async (name: string, template: string): Promise<string> => {
    const admin = new pg.Client({ host, user: 'bursar', database: 'postgres' })
    await admin.connect()
    await admin.query(`create database ${pg.escapeIdentifier(name)} template ${template}`)
    await admin.end()
    return `postgres://bursar@localhost/${name}?host=${encodeURIComponent(host)}`
  }
  const url = await create('migrated', 'template0')
  // A demo school would have work of its own, which would be measured with the rest.
  const env = { DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'warn', DEMO: 'off' }
  const { ctx } = await openDatabase(readConfig(env))
  await ctx.db.close()
  return {
    folder,
    makeEmpty: name => create(name, 'template0'),
    makeDatabase: name => create(name, 'migrated'),
    async close() {
      await stopTestCluster(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function openRig(): Promise<Rig> {
  const cluster = await openCluster()
  const servers = new Servers()
  const close = async (): Promise<void> => {
    await servers.close()
    await cluster.close()
  }
  try {
    const full = await servers.startBursar(cluster, await cluster.makeDatabase('bursar'))
    await liftRateLimit(full.databaseUrl)
    const bare = await servers.start(cluster, await cluster.makeDatabase('bare'), [path('bare-server.ts')], {
      env: {},
      stderr: openSync('/dev/null', 'w'),
      listening: /(http\S+)/,
    })
    return { bare, full, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Processes that answer requests, each over a database of its own. */
export class Servers {
  readonly #children: ChildProcess[] = []

  startBursar(cluster: Cluster, databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<Server> {
    return this.start(cluster, databaseUrl, [...START_FLAGS, path(`../${MAIN}`)], {
      env: { ...MANY_PAYERS, DATA_DIR: cluster.folder, PORT: '0', LOG_FORMAT: 'json', DEMO: 'off', ...env },
      stderr: 'inherit',
      listening: /Listening +(http\S+)/,
    })
  }

  async start(
    { folder }: Cluster,
    databaseUrl: string,
    args: string[],
    options: StartOptions,
  ): Promise<Server> {
    const child = spawn(process.execPath, ['--import', path('counting.ts'), ...args, databaseUrl], {
      env: { ...process.env, ...options.env, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', options.stderr, 'ipc'],
    })
    this.#children.push(child)
    const origin = await firstMatch(child, options.listening)
    // The log goes on being written as in production; nobody reads it.
    child.stdout?.pipe(createWriteStream(join(folder, `${child.pid}.log`)))
    const readSent = async (): Promise<SentStatements> => {
      child.send('sent')
      const [sent] = (await once(child, 'message')) as [SentStatements]
      return sent
    }
    return { origin, pid: child.pid ?? 0, folder, databaseUrl, readSent }
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}

/** All payers of a bench come from one address, which the limit of a stranger would stop. */
const MANY_PAYERS = { PUBLIC_RATE: '100000', PUBLIC_BURST: '100000' }

type StartOptions = { env: NodeJS.ProcessEnv; stderr: 'inherit' | number; listening: RegExp }

export async function load(plan: LoadPlan): Promise<LoadResult> {
  const result = (await runChild('load.ts', plan)) as LoadResult
  if (result.failures > 0) throw new Error(`${result.failures} of the requests to ${plan.url} failed`)
  return result
}

/** Runs a file of this folder with a plan as its argument; answers the JSON that it prints. */
export async function runChild(
  file: string,
  plan: object,
  options: { flags?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<unknown> {
  const child = spawn(process.execPath, [...(options.flags ?? []), path(file), JSON.stringify(plan)], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode}`)
  return JSON.parse(text) as unknown
}

/** A part of Bursar in a process of its own, as `npm start` would run it, that can look at the memory that stays. */
export function runPart(file: string, plan: object, env: NodeJS.ProcessEnv): Promise<unknown> {
  return runChild(file, plan, { flags: [...START_FLAGS, '--expose-gc'], env })
}

/** A receiver of deliveries at several ports; noting the moments at which events come costs it a little. */
export async function openReceiver(
  mode: 'plain' | 'noting',
): Promise<{ ports: number[]; close(): Promise<void> }> {
  const child = spawn(process.execPath, [path('webhooks/receiver.ts'), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ports = JSON.parse(await firstMatch(child, /(\[.*\])/)) as number[]
  return {
    ports,
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error('the process has no output')
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const found = pattern.exec(line)?.[1]
    if (found !== undefined) return found
  }
  throw new Error('the process ended before it said where it listens')
}

export async function liftRateLimit(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('update api_keys set rate_per_second = 1000000, burst = 1000000')
  await client.end()
}
