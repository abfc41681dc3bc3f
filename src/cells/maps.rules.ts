import { markOfCell } from '../platform/cell-mark.rules.ts'
import { isCellName, type Cell, type Directory } from './directory.rules.ts'

/**
 * The directory as HAProxy reads it: a file for each kind of mark that a request carries, each line a mark and the cell
 * that it leads to. The same entries are set in a running proxy over its admin socket.
 */
export const MAP_NAMES = ['schools', 'ids', 'keys', 'accounts'] as const
export type MapName = (typeof MAP_NAMES)[number]

/** Cells by marks. */
export type RouteMap = ReadonlyMap<string, string>
export type RouteMaps = Readonly<Record<MapName, RouteMap>>

/** A mark with other characters cannot stand in a line of a map, and no request can ask for it either. */
const isMark = (text: string): boolean => /^[\w.@-]+$/.test(text)

export function toMaps(cells: readonly Pick<Cell, 'name'>[], { schools, routes }: Directory): RouteMaps {
  const cellOf = new Map(schools.map(({ id, cell }) => [id, cell]))
  const routed = (kind: 'key' | 'account'): [string, string][] =>
    routes.flatMap(route => {
      const cell = cellOf.get(route.schoolId)
      return route.kind === kind && cell !== undefined && isMark(route.value) ? [[route.value, cell]] : []
    })
  return {
    schools: new Map([
      ...schools.map(({ code, cell }): [string, string] => [code, cell]),
      ...cells.map(({ name }): [string, string] => [markOfCell(name), name]),
    ]),
    ids: new Map(schools.map(({ id, cell }) => [String(id), cell])),
    keys: new Map(routed('key')),
    accounts: new Map(routed('account')),
  }
}

/** Sorted, so that an unchanged directory writes an unchanged file. */
export function renderMap(map: RouteMap): string {
  return [...map]
    .map(([mark, cell]) => `${mark} ${cell}\n`)
    .toSorted()
    .join('')
}

/** Lines of a map file, or of `show map`, which has an address before each. */
export function parseMap(text: string): RouteMap {
  const entries = text.split('\n').flatMap((line): [string, string][] => {
    const words = line.trim().split(/\s+/)
    const [mark, cell] = words.slice(-2)
    return words.length >= 2 && mark !== undefined && cell !== undefined ? [[mark, cell]] : []
  })
  return new Map(entries)
}

/** The numbers of our maps in the answer of `show map`: `12 (/etc/haproxy/maps/keys.map) pattern loaded from …`. */
export function parseMapNumbers(text: string): ReadonlyMap<MapName, number> {
  const found = new Map<MapName, number>()
  for (const [, number, name] of text.matchAll(/^(\d+) \((?:[^()]*\/)?(\w+)\.map\)/gm)) {
    const known = MAP_NAMES.find(one => one === name)
    if (known !== undefined) found.set(known, Number(number))
  }
  return found
}

/** Backends that are cells in the answer of `show stat`, which is CSV under a line of names. */
export function parseBackends(text: string): { cell: string; isUp: boolean }[] {
  const [names = [], ...rows] = text.split('\n').map(line => line.split(','))
  const [server, status] = [names.indexOf('svname'), names.indexOf('status')]
  return rows
    .filter(row => row[server] === 'BACKEND' && isCellName(row[0] ?? ''))
    .map(row => ({ cell: row[0] ?? '', isUp: row[status]?.startsWith('UP') === true }))
}

/** What turns a running map into the wanted one. New marks come first: nothing that works stops working meanwhile. */
export function planCommands(number: number, running: RouteMap, wanted: RouteMap): string[] {
  const added = [...wanted].filter(([mark]) => !running.has(mark))
  const changed = [...wanted].filter(([mark, cell]) => running.has(mark) && running.get(mark) !== cell)
  const gone = [...running.keys()].filter(mark => !wanted.has(mark))
  return [
    ...added.map(([mark, cell]) => `add map #${number} ${mark} ${cell}`),
    ...changed.map(([mark, cell]) => `set map #${number} ${mark} ${cell}`),
    ...gone.map(mark => `del map #${number} ${mark}`),
  ]
}

/** What changes marks that a running map has; it does not take one that it has not. */
export function planChanges(number: number | undefined, wanted: RouteMap): string[] {
  if (number === undefined) return []
  return [...wanted].map(([mark, cell]) => `set map #${number} ${mark} ${cell}`)
}

/** The proxy reads a line of at most its buffer, 16 kB, and commands of one line stand behind each other. */
const LINE_BYTES = 8_000

export function toLines(commands: readonly string[]): string[] {
  const lines: string[] = []
  for (const command of commands) {
    const last = lines.at(-1)
    if (last === undefined || last.length + command.length + 1 > LINE_BYTES) lines.push(command)
    else lines[lines.length - 1] = `${last};${command}`
  }
  return lines
}

/** What the proxy needs to know of a cell. */
type Reachable = Pick<Cell, 'name' | 'addresses'>

const LOOKED_AFTER = [
  'option httpchk GET /readyz',
  'http-check expect status 200',
  'default-server check inter 2s fall 2 rise 1 resolvers system init-addr last,libc,none',
]

/**
 * The cells as backends of the proxy. `any` takes what no mark leads anywhere, at the cell that keeps the directory, or at
 * another while that one is away. `files` finds a script of the console in whichever cell has it: the names of scripts
 * change with the version, and cells are upgraded one after the other.
 */
export function renderBackends(cells: readonly Reachable[]): string {
  const count = cells.flatMap(({ addresses }) => addresses).length
  const backends = [
    ...cells.map(cell => renderBackend(cell.name, [...LOOKED_AFTER, ...serversOf([cell])])),
    renderBackend('any', [
      'option allbackups',
      ...LOOKED_AFTER,
      ...serversOf(cells.slice(0, 1)),
      ...serversOf(cells.slice(1)).map(server => `${server} backup`),
    ]),
    renderBackend('files', [
      `retries ${2 * Math.max(count, 1)}`,
      'retry-on conn-failure 404',
      'option redispatch 1',
      ...LOOKED_AFTER,
      ...serversOf(cells),
    ]),
  ]
  const head =
    '# Written by `bursar cells sync`: the cells of the directory. Reload the proxy when one is added or removed.'
  return `${[head, ...backends].join('\n\n')}\n`
}

function renderBackend(name: string, lines: readonly string[]): string {
  return [`backend ${name}`, ...lines.map(line => `  ${line}`)].join('\n')
}

function serversOf(cells: readonly Reachable[]): string[] {
  return cells.flatMap(({ name, addresses }) =>
    addresses.map((address, index) => `server ${name}-${index + 1} ${address}`),
  )
}
