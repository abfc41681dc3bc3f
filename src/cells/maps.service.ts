import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprintContent } from './directory.store.ts'
import type { CellConnections } from './connections.ts'
import type { Cell, Directory } from './directory.rules.ts'
import { reasonOf, syncDirectory, type SyncResult } from './directory.service.ts'
import * as store from './directory.store.ts'
import { type AdminAddress, askProxy } from './haproxy.client.ts'
import {
  MAP_NAMES,
  type MapName,
  parseBackends,
  parseMap,
  parseMapNumbers,
  planChanges,
  planCommands,
  renderBackends,
  renderMap,
  type RouteMap,
  type RouteMaps,
  toLines,
  toMaps,
} from './maps.rules.ts'
import type { Context } from '../platform/context.ts'

/** Where routes are published: a folder that proxies start from, and proxies that run. */
export type Proxies = { folder?: string | undefined; sockets: readonly AdminAddress[] }

export type ProxyResult = {
  socket: AdminAddress
  /** How many entries were set; null: it did not take them. */
  changed: number | null
  problem: string | null
}

const BACKENDS_FILE = 'cells.cfg'

const PERMIT = 'cell maps'

/**
 * The directory as it stands, in the folder and in the running proxies. One that is away takes its files when it starts.
 * Whoever publishes reads the directory in his turn: otherwise one that read before a school moved could write after the
 * move, and send its callers to the old cell again.
 */
export async function publishRoutes(
  { db }: Pick<Context, 'db'>,
  { folder, sockets }: Proxies,
): Promise<ProxyResult[]> {
  const release = await db.semaphore.acquire(PERMIT, 1, true)
  try {
    const cells = await store.listCells(db)
    const maps = toMaps(cells, await store.readDirectory(db))
    if (folder !== undefined) await writeFiles(folder, cells, maps)
    return await Promise.all(sockets.map(socket => setProxy(socket, cells, maps)))
  } finally {
    release()
  }
}

/**
 * Sends the callers of a school that has moved to its new cell, by no more commands than it has marks. What a proxy does not
 * take is set by the next one that publishes.
 */
export async function routeSchool(
  { db }: Pick<Context, 'db'>,
  school: Directory,
  { sockets }: Proxies,
): Promise<void> {
  const maps = toMaps([], school)
  const route = async (socket: AdminAddress): Promise<void> => {
    const numbers = parseMapNumbers(await askProxy(socket, 'show map'))
    const commands = MAP_NAMES.flatMap(name => planChanges(numbers.get(name), maps[name]))
    for (const line of toLines(commands)) await askProxy(socket, line)
  }
  const release = await db.semaphore.acquire(PERMIT, 1, true)
  try {
    await Promise.all(sockets.map(socket => route(socket).catch(() => {})))
  } finally {
    release()
  }
}

/** Each appears whole or not at all: a proxy may start at any moment. */
async function writeFiles(folder: string, cells: readonly Cell[], maps: RouteMaps): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of MAP_NAMES) await writeWhole(join(folder, `${name}.map`), renderMap(maps[name]))
  await writeWhole(join(folder, BACKENDS_FILE), renderBackends(cells))
}

async function writeWhole(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return
  const fresh = `${path}.${process.pid}.new`
  const file = await open(fresh, 'w', 0o644)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(fresh, path)
}

async function setProxy(
  socket: AdminAddress,
  cells: readonly Pick<Cell, 'name'>[],
  maps: RouteMaps,
): Promise<ProxyResult> {
  try {
    const running = await readRunning(socket)
    const commands = MAP_NAMES.flatMap(name => {
      const { number, entries } = running[name]
      return planCommands(number, entries, maps[name])
    })
    for (const line of toLines(commands)) {
      const answer = (await askProxy(socket, line)).trim()
      if (answer !== '') throw new Error(answer)
    }
    const backends = new Set((await askProxy(socket, 'show backend')).split('\n').map(line => line.trim()))
    const unknown = cells.filter(({ name }) => !backends.has(name)).map(({ name }) => name)
    const problem = unknown.length === 0 ? null : `it does not know ${unknown.join(', ')} yet: reload it`
    return { socket, changed: commands.length, problem }
  } catch (error) {
    return { socket, changed: null, problem: reasonOf(error) }
  }
}

/** Which cells the first running proxy that answers can reach; empty: none answers. */
export async function readBackends({ sockets }: Proxies): Promise<{ cell: string; isUp: boolean }[]> {
  for (const socket of sockets) {
    const answer = await askProxy(socket, 'show stat').catch(() => null)
    if (answer !== null) return parseBackends(answer)
  }
  return []
}

type RunningMaps = Readonly<Record<MapName, { number: number; entries: RouteMap }>>

async function readRunning(socket: AdminAddress): Promise<RunningMaps> {
  const numbers = parseMapNumbers(await askProxy(socket, 'show map'))
  const read = MAP_NAMES.map(async name => {
    const number = numbers.get(name)
    if (number === undefined) throw new Error(`it has no ${name}.map: see deploy/haproxy/haproxy.cfg`)
    return [name, { number, entries: parseMap(await askProxy(socket, `show map #${number}`)) }] as const
  })
  return Object.fromEntries(await Promise.all(read)) as RunningMaps
}

/** What a proxy or a folder says otherwise than the directory; empty: nothing. */
export async function findDifferences(
  { db }: Pick<Context, 'db'>,
  { folder, sockets }: Proxies,
): Promise<string[]> {
  const maps = toMaps(await store.listCells(db), await store.readDirectory(db))
  const found = await Promise.all([
    ...(folder === undefined ? [] : [inFolder(folder, maps)]),
    ...sockets.map(socket => inProxy(socket, maps)),
  ])
  return found.flat()
}

async function inFolder(folder: string, maps: RouteMaps): Promise<string[]> {
  const found = MAP_NAMES.map(async name => {
    const text = await readFile(join(folder, `${name}.map`), 'utf8').catch(() => null)
    return text === renderMap(maps[name]) ? [] : [`${name}.map in ${folder} is not as the directory`]
  })
  return (await Promise.all(found)).flat()
}

async function inProxy(socket: AdminAddress, maps: RouteMaps): Promise<string[]> {
  try {
    const running = await readRunning(socket)
    return MAP_NAMES.flatMap(name => {
      const count = planCommands(0, running[name].entries, maps[name]).length
      return count === 0 ? [] : [`${count} entries of ${name}.map in the proxy at ${socket} differ`]
    })
  } catch (error) {
    return [`The proxy at ${socket}: ${reasonOf(error)}`]
  }
}

type SyncedMaps = { sync: SyncResult; results: ProxyResult[] }

/** Cells into the directory, the directory into files and proxies. */
export async function syncOnce(
  ctx: Pick<Context, 'db'>,
  connections: CellConnections,
  proxies: Proxies,
): Promise<SyncedMaps> {
  const sync = await syncDirectory(ctx, connections)
  return { sync, results: await publishRoutes(ctx, proxies) }
}

/** Everything is read again after so long, whatever the fingerprints say: a proxy may have been restarted with old files. */
const WHOLE_EVERY_MS = 10_000

/**
 * Looks every second whether something has changed, which costs one short statement in each cell, and reads everything
 * only then. A new key is routed about a second after it was made.
 */
export class Watch {
  readonly #ctx: Pick<Context, 'db'>
  readonly #connections: CellConnections
  readonly #proxies: Proxies
  #seen = ''
  #wholeAtMs = -Infinity

  constructor(ctx: Pick<Context, 'db'>, connections: CellConnections, proxies: Proxies) {
    this.#ctx = ctx
    this.#connections = connections
    this.#proxies = proxies
  }

  /** Null: nothing has changed. */
  async look(): Promise<SyncedMaps | null> {
    const nowMs = performance.now()
    const prints = await this.#readPrints()
    if (prints === this.#seen && nowMs - this.#wholeAtMs < WHOLE_EVERY_MS) return null
    const synced = await syncOnce(this.#ctx, this.#connections, this.#proxies)
    this.#seen = prints
    this.#wholeAtMs = nowMs
    return synced
  }

  async #readPrints(): Promise<string> {
    const { db } = this.#ctx
    const [directory, cells] = await Promise.all([store.fingerprintDirectory(db), store.listCells(db)])
    const prints = await Promise.all(
      cells.map(cell => this.#connections.ask(cell, fingerprintContent).catch(() => 'away')),
    )
    return [directory, ...prints].join('\n')
  }
}
