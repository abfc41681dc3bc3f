import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startTestCluster, stopTestCluster } from '../test/harness/cluster.ts'
import type { LoadPlan, LoadResult } from './load.ts'

/** Bursar and its bare peer as processes of their own over one durable PostgreSQL. */
export type Rig = { bare: string; full: string; close(): Promise<void> }

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export async function openRig(): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-'))
  const host = await startTestCluster(folder, { durable: true })
  const admin = new pg.Client({ host, user: 'bursar', database: 'postgres' })
  await admin.connect()
  await admin.query('create database bench')
  await admin.end()
  const url = `postgres://bursar@localhost/bench?host=${encodeURIComponent(host)}`
  const env = { ...process.env, DATABASE_URL: url, DATA_DIR: folder, PORT: '0', LOG_FORMAT: 'json' }
  const bursar = spawn(process.execPath, [path('../src/main.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const full = await firstMatch(bursar, /Listening +(http\S+)/)
  // The log goes on being written as in production; nobody reads it.
  bursar.stdout?.pipe((await import('node:fs')).createWriteStream(join(folder, 'bursar.log')))
  await liftRateLimit(url)
  const peer = spawn(process.execPath, [path('bare-server.ts'), url], {
    stdio: ['ignore', 'pipe', openSync('/dev/null', 'w')],
  })
  const bare = await firstMatch(peer, /(http\S+)/)
  return {
    bare,
    full,
    async close() {
      for (const child of [bursar, peer]) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await stopTestCluster(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function load(plan: LoadPlan): Promise<LoadResult> {
  const child = spawn(process.execPath, [path('load.ts'), JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(child, 'close')
  const result = JSON.parse(text) as LoadResult
  if (result.failures > 0) throw new Error(`${result.failures} of the requests to ${plan.url} failed`)
  return result
}

export function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
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

async function liftRateLimit(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('update api_keys set rate_per_second = 1000000, burst = 1000000')
  await client.end()
}
