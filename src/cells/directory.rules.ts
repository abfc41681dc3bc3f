import { largestOf } from '../platform/lists.ts'

/** Which cell a school lives in, decided from what each cell says of itself. */

export type Cell = {
  name: string
  /** Where the proxies reach its processes, as host:port. */
  addresses: readonly string[]
  firstInstituteId: number
  isDraining: boolean
}

export type School = { id: number; code: string }

type RouteKind = 'key' | 'account'

export type Route = { kind: RouteKind; value: string; schoolId: number }

/** What a cell holds at one moment. */
export type CellContent = { schools: readonly School[]; routes: readonly Route[] }

export type Directory = { schools: readonly (School & { cell: string })[]; routes: readonly Route[] }

/** Wide enough for every school that a cell will ever make, and 2,147 cells fit into an id. */
const RANGE = 1_000_000

/** The first is the cell that keeps the directory; its schools began at 1. */
export function nextFirstId(cells: readonly Pick<Cell, 'firstInstituteId'>[]): number {
  if (cells.length === 0) return 1
  return largestOf(cells.map(({ firstInstituteId }) => firstInstituteId)) + RANGE
}

export function lastIdOf({ firstInstituteId }: Pick<Cell, 'firstInstituteId'>): number {
  return firstInstituteId + RANGE - 1
}

/** Names of the proxy's own backends cannot be those of cells. */
const RESERVED = ['any', 'files']

export function isCellName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,30}$/.test(text) && !RESERVED.includes(text)
}

type Conflict = { cell: string; what: 'school' | RouteKind; value: string; other: string }

export type Changes = {
  schools: (School & { cell: string })[]
  routes: Route[]
  gone: Pick<Route, 'kind' | 'value'>[]
  conflicts: Conflict[]
  /** Schools that their cell does not have, and no other that answered. */
  missing: string[]
}

/**
 * What has to change in the directory. A cell that did not answer keeps all it had. A school is where its row is; while
 * two cells have one of the same id or code, the one that was known first stays and the other is told of. A school that
 * no cell has is being moved, or lies in a cell that is away: its routes stay.
 */
export function compareContents(
  { schools: known, routes: knownRoutes }: Directory,
  contents: ReadonlyMap<string, CellContent>,
): Changes {
  const changes: Changes = { schools: [], routes: [], gone: [], conflicts: [], missing: [] }
  const byId = new Map(known.map(school => [school.id, school]))
  const byCode = new Map(known.map(school => [school.code, school]))
  const idsOf = new Map(
    [...contents].map(([cell, { schools }]) => [cell, new Set(schools.map(({ id }) => id))]),
  )
  for (const [cell, { schools }] of contents)
    for (const school of schools) {
      const before = byId.get(school.id) ?? byCode.get(school.code)
      const isTaken = before !== undefined && (before.id !== school.id || before.code !== school.code)
      const isElsewhere =
        before !== undefined && before.cell !== cell && (idsOf.get(before.cell)?.has(before.id) ?? true)
      if (before !== undefined && (isElsewhere || (isTaken && before.cell !== cell))) {
        changes.conflicts.push({ cell, what: 'school', value: school.code, other: before.cell })
        continue
      }
      if (before?.cell === cell && !isTaken) continue
      const now = { ...school, cell }
      changes.schools.push(now)
      byId.set(now.id, now)
      byCode.set(now.code, now)
    }
  for (const { id, code, cell } of byId.values())
    if (idsOf.get(cell)?.has(id) === false) changes.missing.push(code)
  compareRoutes(knownRoutes, contents, byId, changes)
  return changes
}

function compareRoutes(
  known: readonly Route[],
  contents: ReadonlyMap<string, CellContent>,
  schools: ReadonlyMap<number, School & { cell: string }>,
  changes: Changes,
): void {
  const before = new Map(known.map(route => [nameOf(route), route]))
  const found = new Set<string>()
  for (const [cell, { routes }] of contents)
    for (const route of routes) {
      // A school that is not routed to this cell is told of once, and not once more for each of its keys.
      if (schools.get(route.schoolId)?.cell !== cell) continue
      const name = nameOf(route)
      const other = before.get(name)
      const otherCell = other === undefined ? undefined : schools.get(other.schoolId)?.cell
      if (otherCell !== undefined && otherCell !== cell) {
        changes.conflicts.push({ cell, what: route.kind, value: route.value, other: otherCell })
        continue
      }
      found.add(name)
      if (other?.schoolId === route.schoolId) continue
      changes.routes.push(route)
      before.set(name, route)
    }
  for (const route of known) {
    const cell = schools.get(route.schoolId)?.cell
    const content = cell === undefined ? undefined : contents.get(cell)
    const isRead = content?.schools.some(({ id }) => id === route.schoolId) ?? false
    if (isRead && !found.has(nameOf(route))) changes.gone.push({ kind: route.kind, value: route.value })
  }
}

function nameOf({ kind, value }: Pick<Route, 'kind' | 'value'>): string {
  return `${kind} ${value}`
}

/** What somebody has to look at. */
export function describeTroubles({ conflicts, missing }: Changes): string[] {
  return [
    ...conflicts.map(
      ({ cell, what, value, other }) =>
        `the ${what} ${value} of ${cell} is not routed: ${other} has one of that name`,
    ),
    ...missing.map(code => `${code} is in no cell: it is being moved, or its move has to be finished`),
  ]
}

/** The same, and what the next look will take in by itself. */
export function describeChanges(changes: Changes): string[] {
  const { schools, routes, gone } = changes
  const count = schools.length + routes.length + gone.length
  const waiting = `${count} schools, keys and accounts are not as the cells have them: does \`bursar cells sync --watch\` run?`
  return [...describeTroubles(changes), ...(count === 0 ? [] : [waiting])]
}

export function isUnchanged({ schools, routes, gone }: Changes): boolean {
  return schools.length + routes.length + gone.length === 0
}

/** The cell with the fewest students among those that take new schools and answer; null: there is none. */
export function chooseCell(
  loads: readonly { name: string; isDraining: boolean; students: number | null }[],
): string | null {
  const open = loads.filter(
    (load): load is typeof load & { students: number } => !load.isDraining && load.students !== null,
  )
  return open.toSorted((one, other) => one.students - other.students)[0]?.name ?? null
}
