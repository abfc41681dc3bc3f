import { createInstitute, type NewInstitute } from '../institutes/institutes.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import type { Database, Transaction } from '../platform/db/database.ts'
import { claimSetting, readSetting, writeSetting } from '../platform/db/instance-settings.ts'
import { compareSchema, migrate } from '../platform/db/migrate.ts'
import { conflict, isUnavailable, notFound } from '../platform/errors.ts'
import { readContent, startIdsAt } from './directory.store.ts'
import { CellConnections, openCellDatabase, urlPurpose } from './connections.ts'
import {
  compareContents,
  isUnchanged,
  lastIdOf,
  nextFirstId,
  type Cell,
  type CellContent,
  type Changes,
  type School,
} from './directory.rules.ts'
import * as store from './directory.store.ts'

/** The context of the cell that keeps the directory. */
type DirectoryContext = Pick<Context, 'db' | 'vault' | 'mode'>

export type NewCell = {
  name: string
  addresses: readonly string[]
  databaseUrl: string
}

export async function listCells({ db }: Pick<Context, 'db'>): Promise<Cell[]> {
  return (await store.listCells(db)).map(({ name, addresses, firstInstituteId, isDraining }) => ({
    name,
    addresses,
    firstInstituteId,
    isDraining,
  }))
}

/** Where a cell's database is, for those who work on it directly. */
export async function readDatabaseUrl(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  name: string,
): Promise<string> {
  const cell = (await store.listCells(db)).find(one => one.name === name)
  if (cell === undefined) throw notFound(`The cell ${name}`)
  return vault.open(cell.databaseUrlSealed, urlPurpose(name))
}

/**
 * Takes a database into the service: an empty one is prepared, one in use must belong to the same mode and master key.
 * Schools that are made there from now on get ids of a range of their own. Sent again, it goes on where it was killed,
 * or changes the addresses.
 */
export async function addCell(
  ctx: DirectoryContext,
  { name, addresses, databaseUrl }: NewCell,
): Promise<Cell> {
  const db = openCellDatabase(databaseUrl)
  try {
    await db.findPrimary()
    await prepare(ctx, db, name)
    const content = await readContent(db)
    const cell = await ctx.db.transaction(async tx => {
      await store.lockDirectory(tx)
      const cells = await store.listCells(tx)
      const known = cells.find(one => one.name === name)
      const firstInstituteId = known?.firstInstituteId ?? (await takeRange(tx, cells))
      const added = { name, addresses, firstInstituteId, isDraining: known?.isDraining ?? false }
      refuseForeign(await store.readDirectory(tx), added, content)
      const databaseUrlSealed = ctx.vault.seal(databaseUrl, urlPurpose(name))
      if (known === undefined) await store.insertCell(tx, { ...added, databaseUrlSealed })
      else await store.changeCell(tx, name, { addresses, databaseUrlSealed })
      return added
    })
    await startIdsAt(db, cell.firstInstituteId, lastIdOf(cell))
    await claimSetting(db, 'cell', name)
    return cell
  } finally {
    await db.close()
  }
}

/** A range is given once: schools of a cell that was removed keep their ids elsewhere. */
async function takeRange(tx: Transaction, cells: readonly Cell[]): Promise<number> {
  const taken = Number((await readSetting(tx, 'next_institute_range')) ?? 1)
  const firstId = Math.max(taken, nextFirstId(cells))
  await writeSetting(tx, 'next_institute_range', String(nextFirstId([{ firstInstituteId: firstId }])))
  return firstId
}

async function prepare({ mode, vault }: DirectoryContext, db: Database, name: string): Promise<void> {
  const [found] = await db.query<{ isEmpty: boolean }>(
    `select to_regclass('instance_settings') is null as "isEmpty"`,
  )
  if (found?.isEmpty === true) {
    await migrate(db)
    // The schools of a new sandbox would have the ids and codes of another cell's.
    await writeSetting(db, 'sandbox_seeded', 'yes')
    await writeSetting(db, 'sandbox_console_seeded', 'yes')
  } else if ((await compareSchema(db)) !== 'fits')
    throw conflict(`The database of ${name} has another version's tables: upgrade it first.`)
  if ((await claimSetting(db, 'mode', mode)) !== mode)
    throw conflict(`The database of ${name} is not a ${mode} one, as this one is.`)
  if ((await claimSetting(db, 'master_key_fingerprint', vault.fingerprint())) !== vault.fingerprint())
    throw conflict(`The database of ${name} has another master key. All cells share one.`)
  const claimed = await readSetting(db, 'cell')
  if (claimed !== null && claimed !== name) throw conflict(`This database is the cell ${claimed} already.`)
}

/** Ids never change, so a database whose schools have ids of another cell's range cannot become a cell. */
function refuseForeign(
  directory: Awaited<ReturnType<typeof store.readDirectory>>,
  cell: Cell,
  content: CellContent,
): void {
  const known = new Map(directory.schools.map(school => [school.id, school.cell]))
  const foreign = content.schools.find(
    ({ id }) => known.get(id) !== cell.name && (id < cell.firstInstituteId || id > lastIdOf(cell)),
  )
  const { conflicts } = compareContents(directory, new Map([[cell.name, content]]))
  const value = foreign?.code ?? conflicts[0]?.value
  if (value !== undefined)
    throw conflict(
      `${value} in the database of ${cell.name} has an id or a code of another cell. Begin a cell with an empty database.`,
    )
}

/** A cell that drains gets no new schools; those that it has stay until they are moved. */
export async function drainCell(
  { db }: Pick<Context, 'db'>,
  name: string,
  isDraining: boolean,
): Promise<void> {
  if (!(await store.changeCell(db, name, { isDraining }))) throw notFound(`The cell ${name}`)
}

export async function removeCell({ db }: Pick<Context, 'db'>, name: string): Promise<void> {
  await db.transaction(async tx => {
    await store.lockDirectory(tx)
    const schools = await store.countSchoolsOf(tx, name)
    if (schools > 0) throw conflict(`${name} still has ${schools} schools: move them first.`)
    const kept = await store.countKeptMoves(tx, name)
    if (kept > 0)
      throw conflict(`${name} keeps the rows of ${kept} moved schools: bursar cells forget deletes them.`)
    if (!(await store.deleteCell(tx, name))) throw notFound(`The cell ${name}`)
  })
}

/** Where a school lives; null: the directory does not know it. */
export async function findSchool(
  { db }: Pick<Context, 'db'>,
  code: string,
): Promise<(School & { cell: string }) | null> {
  return store.findSchool(db, code)
}

/** Routes a school, with all that leads to it, to another cell from now on. */
export async function setCellOf(
  { db }: Pick<Context, 'db'>,
  { instituteId, cell }: { instituteId: number; cell: string },
): Promise<void> {
  await db.transaction(async tx => {
    await store.lockDirectory(tx)
    if (!(await store.setCell(tx, instituteId, cell))) throw notFound(`The school ${instituteId}`)
  })
}

type AwayCell = { cell: string; reason: string }

export type SyncResult = {
  changes: Changes
  isChanged: boolean
  away: AwayCell[]
}

/**
 * Reads the schools, keys and accounts of every cell into the directory. A school that is moved meanwhile changes the
 * directory too; what was read before that counts for nothing, and the next look finds it.
 */
export async function syncDirectory(
  { db }: Pick<Context, 'db'>,
  connections: CellConnections,
): Promise<SyncResult> {
  const before = await store.fingerprintDirectory(db)
  const { contents, away } = await readContents({ db }, connections)
  return db.transaction(async tx => {
    await store.lockDirectory(tx)
    const isCurrent = (await store.fingerprintDirectory(tx)) === before
    const changes = compareContents(await store.readDirectory(tx), contents)
    const isChanged = isCurrent && !isUnchanged(changes)
    if (isChanged) {
      await store.putSchools(tx, changes.schools)
      await store.deleteRoutes(tx, changes.gone)
      await store.putRoutes(tx, changes.routes)
    }
    return { changes, isChanged, away }
  })
}

/** The same without changing anything. */
export async function compareCells(
  { db }: Pick<Context, 'db'>,
  connections: CellConnections,
): Promise<Omit<SyncResult, 'isChanged'>> {
  const { contents, away } = await readContents({ db }, connections)
  return { changes: compareContents(await store.readDirectory(db), contents), away }
}

async function readContents(
  { db }: Pick<Context, 'db'>,
  connections: CellConnections,
): Promise<{ contents: Map<string, CellContent>; away: AwayCell[] }> {
  const contents = new Map<string, CellContent>()
  const away: AwayCell[] = []
  const cells = await store.listCells(db)
  const found = await Promise.all(
    cells.map(cell => connections.ask(cell, readContent).catch((error: unknown) => reasonOf(error))),
  )
  // The order is that of the cells and not of their answers: when two schools have one code, the same one always wins.
  for (const [index, { name }] of cells.entries()) {
    const content = found[index]
    if (typeof content === 'string') away.push({ cell: name, reason: content })
    else if (content !== undefined) contents.set(name, content)
  }
  return { contents, away }
}

export function reasonOf(error: unknown): string {
  if (isUnavailable(error) && error.cause instanceof Error) return error.cause.message
  return error instanceof Error ? error.message : String(error)
}

/** Makes a school in a cell, where the directory does not know its code yet. */
export async function placeSchool(
  ctx: Context,
  connections: CellConnections,
  { cell: name, ...input }: NewInstitute & { cell: string },
): Promise<Institute> {
  const cell = (await store.listCells(ctx.db)).find(one => one.name === name)
  if (cell === undefined) throw notFound(`The cell ${name}`)
  return ctx.db.transaction(async tx => {
    await store.lockDirectory(tx)
    const known = await store.findSchool(tx, input.code)
    if (known !== null) throw conflict(`There is already a school ${input.code}, in the cell ${known.cell}.`)
    // If this process ends before the next step, the next look at the cell finds the school.
    const institute = await connections.ask(cell, db => createInstitute({ ...ctx, db }, input))
    await store.putSchools(tx, [{ id: institute.id, code: institute.code, cell: name }])
    return institute
  })
}
