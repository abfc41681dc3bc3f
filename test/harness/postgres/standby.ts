import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startTestCluster, stopTestCluster } from './cluster.ts'
import { waitFor } from '../wait.ts'

/** A server of a pair, reached over TCP as from another machine. */
export class PairedServer {
  readonly #folder: string
  readonly port: number
  readonly #settings: string[]

  constructor(folder: string, port: number, settings: string[]) {
    this.#folder = folder
    this.port = port
    this.#settings = ['listen_addresses=127.0.0.1', ...settings]
  }

  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    await startTestCluster(this.#folder, { durable: true, port: this.port, settings: this.#settings })
  }

  /** As when its machine loses power. */
  kill(): Promise<void> {
    return stopTestCluster(this.#folder, 'SIGQUIT')
  }

  async ask<Row extends pg.QueryResultRow>(text: string, database = 'bursar'): Promise<Row[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'bursar', database })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }
}

type Owner = { after(done: () => Promise<void> | void): void }

/** A primary and a standby that has everything that the primary has confirmed. */
export async function startPair(owner: Owner): Promise<{ primary: PairedServer; standby: PairedServer }> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-pair-'))
  const [first, second] = [join(folder, 'a'), join(folder, 'b')]
  const [firstPort, secondPort] = [await freePort(), await freePort()]
  const waits = 'synchronous_standby_names=standby'
  const follows = `primary_conninfo=host=127.0.0.1 port=${firstPort} user=bursar application_name=standby`
  const seed = new PairedServer(first, firstPort, [])
  await seed.start()
  await seed.ask('create database bursar', 'postgres')
  await stopTestCluster(first, 'SIGINT')
  cpSync(first, second, { recursive: true })
  writeFileSync(join(second, 'pg', 'standby.signal'), '')
  const primary = new PairedServer(first, firstPort, [waits])
  const standby = new PairedServer(second, secondPort, [follows])
  owner.after(async () => {
    await Promise.all([primary.kill(), standby.kill()])
    rmSync(folder, { recursive: true, force: true })
  })
  await primary.start()
  await standby.start()
  await waitFor(async () => {
    const [row] = await primary.ask(`select from pg_stat_replication where sync_state = 'sync'`, 'postgres')
    return row !== undefined
  }, 'the standby to follow')
  return { primary, standby }
}

export function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resolve(port))
  })
  return promise
}
