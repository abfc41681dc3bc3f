import { readDueWork } from '../console/operator/health.service.ts'
import { dayOf, startOfDay } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { readSetting } from '../platform/db/instance-settings.ts'
import { firstIdAt } from '../platform/ids.ts'
import { largestOf } from '../platform/lists.ts'
import { countStudents, readLoad, type CellLoad } from './directory.store.ts'
import { CellConnections } from './connections.ts'
import { chooseCell, describeChanges, type Cell } from './directory.rules.ts'
import { compareCells, reasonOf } from './directory.service.ts'
import * as store from './directory.store.ts'
import { describeStopped, readOpenMoves } from './moves.service.ts'
import { findMissingGrants } from './move/fit.service.ts'
import { findDifferences, type Proxies } from './maps.service.ts'

export type CellStatus = Cell & {
  /** What an operator has to know and type for each move from here that nobody works on any more. */
  stoppedMoves: string[]
} & (CellAnswer | { isAway: true; reason: string })

type CellAnswer = { isAway: false } & CellLoad & {
    /** Work that is due, and how late the latest of it is. */
    due: number
    lateMs: number
  }

/** Asks every cell how it is. One that does not answer is shown as away, and keeps the others from nothing. */
export async function readCells(
  ctx: Pick<Context, 'db' | 'clock'>,
  connections: CellConnections,
): Promise<CellStatus[]> {
  const firstPaymentId = firstIdAt('pay', startOfDay(dayOf(new Date())))
  const moves = await readOpenMoves(ctx, connections)
  return Promise.all(
    (await store.listCells(ctx.db)).map(async ({ databaseUrlSealed, ...known }): Promise<CellStatus> => {
      const stoppedMoves = describeStopped(moves.filter(({ fromCell }) => fromCell === known.name))
      const cell = { ...known, stoppedMoves }
      try {
        const address = { name: known.name, databaseUrlSealed }
        return await connections.ask(address, async db => {
          const [load, work] = await Promise.all([
            readLoad(db, firstPaymentId),
            readDueWork({ db, clock: ctx.clock }),
          ])
          const due = work.reduce((sum, one) => sum + one.due, 0)
          return { ...cell, isAway: false, ...load, due, lateMs: largestOf(work.map(({ lateMs }) => lateMs)) }
        })
      } catch (error) {
        return { ...cell, isAway: true, reason: reasonOf(error) }
      }
    }),
  )
}

/** The same with connections of its own; without cells nobody is asked. */
export async function lookAtCells(ctx: Pick<Context, 'db' | 'clock' | 'vault'>): Promise<CellStatus[]> {
  const connections = new CellConnections(ctx)
  try {
    return await readCells(ctx, connections)
  } finally {
    await connections.close()
  }
}

/** Where a new school goes: the cell with the fewest students among those that answer and do not drain; null: none. */
export async function findRoom(
  { db }: Pick<Context, 'db'>,
  connections: CellConnections,
): Promise<string | null> {
  const loads = await Promise.all(
    (await store.listCells(db)).map(async cell => {
      const students = await connections.ask(cell, countStudents).catch(() => null)
      return { name: cell.name, isDraining: cell.isDraining, students }
    }),
  )
  return chooseCell(loads)
}

/** Whether cells, directory and proxies agree, in words of what does not; null: there are no cells. `cell` is what the settings say. */
export async function examineCells(
  ctx: Pick<Context, 'db' | 'vault'>,
  { cell, proxies }: { cell: string | null; proxies: Proxies },
): Promise<{ cells: number; problems: string[] } | null> {
  const claimed = await readSetting(ctx.db, 'cell')
  const mistaken =
    claimed === cell
      ? []
      : [
          `CELL is ${cell ?? 'not set'}, and this database is ${claimed === null ? 'no cell yet' : `the cell ${claimed}`}`,
        ]
  const { length: cells } = await store.listCells(ctx.db)
  if (cells === 0) return claimed === null && cell === null ? null : { cells, problems: mistaken }
  const connections = new CellConnections(ctx)
  try {
    const [{ changes, away }, differences, moves, lacking] = await Promise.all([
      compareCells(ctx, connections),
      findDifferences(ctx, proxies),
      readOpenMoves(ctx, connections),
      findMissingForMoves(ctx, connections),
    ])
    const absent = away.map(({ cell, reason }) => `${cell} is away: ${reason}`)
    const found = [...describeChanges(changes), ...describeStopped(moves), ...differences]
    return { cells, problems: [...mistaken, ...absent, ...found, ...lacking] }
  } finally {
    await connections.close()
  }
}

/** Rights that a move would miss, found before somebody is in need of one; nobody moves where there is one cell. */
async function findMissingForMoves(
  { db }: Pick<Context, 'db'>,
  connections: CellConnections,
): Promise<string[]> {
  const cells = await store.listCells(db)
  if (cells.length < 2) return []
  const lacking = await Promise.all(
    cells.map(cell =>
      connections
        .ask(cell, cellDb => findMissingGrants(cell.name, cellDb))
        // The status of the cell says already that it does not answer.
        .catch((): string[] => []),
    ),
  )
  return lacking.flat().map(grant => `No school can be moved yet. ${grant}`)
}
