import * as store from './directory.store.ts'
import * as fence from './move/fence.store.ts'
import * as replication from './move/replication.store.ts'
import { isStandby } from './directory.store.ts'
import type { CellConnections } from './connections.ts'
import { findSchool, listCells, readDatabaseUrl, reasonOf, setCellOf } from './directory.service.ts'
import { type Proxies, publishRoutes, routeSchool } from './maps.service.ts'
import { type Cell, connect } from './move/connection.ts'
import { isLocked, readSide } from './move/fence.store.ts'
import { goesOnByItself, namesOf } from './move/move.rules.ts'
import { moveBack, type MoveOptions, moveSchool } from './move/move.service.ts'
import { describeOpen } from './move/move.texts.ts'
import { type Move, moveLog, type MoveLog } from './move/moves.store.ts'
import type { Context } from '../platform/context.ts'
import { splitDatabaseUrl } from '../platform/db/pool.ts'
import { conflict, notFound, unavailable } from '../platform/errors.ts'

type MovesContext = Pick<Context, 'db' | 'vault'>

type MoveRequest = {
  code: string
  /** The name of a cell. */
  to: string
  /** End a move that was begun, while the school has not left. */
  isBack: boolean
  longestPauseMs?: number | undefined
  /** How the new cell's server reaches the old one's; absent: as we do. */
  replicateFrom?: string | undefined
}

/** Moves a school between two cells of the directory, or goes on with a move that stopped; callers follow it. */
export async function moveToCell(
  ctx: MovesContext,
  { code, to, isBack, longestPauseMs, replicateFrom }: MoveRequest,
  proxies: Proxies,
  report: MoveOptions['report'],
): Promise<Move> {
  const log = moveLog(ctx.db)
  const from = (await log.findOpen(code))?.fromCell ?? (await cellToLeave(ctx, code, to))
  const source = await reach(ctx, from)
  const options: MoveOptions = {
    code,
    source: { ...source, address: replicateFrom ?? source.config.connectionString },
    target: { ...(await reach(ctx, to)), addresses: await addressesOf(ctx, to) },
    log,
    report,
    ...(longestPauseMs === undefined ? {} : { longestPauseMs }),
    async onSwitch({ move: { schoolId, toCell }, keyIds, accountIds }) {
      await setCellOf(ctx, { instituteId: schoolId, cell: toCell })
      const routes = [
        ...keyIds.map(value => ({ kind: 'key' as const, value, schoolId })),
        ...accountIds.map(value => ({ kind: 'account' as const, value, schoolId })),
      ]
      await routeSchool(ctx, { schools: [{ id: schoolId, code, cell: toCell }], routes }, proxies)
    },
    async afterSwitch() {
      for (const { socket, problem } of await publishRoutes(ctx, proxies))
        if (problem !== null) report({ step: 'route', text: `The proxy at ${socket}: ${problem}` })
    },
  }
  return isBack ? moveBack(options) : moveSchool(options)
}

async function addressesOf(ctx: MovesContext, name: string): Promise<readonly string[]> {
  return (await listCells(ctx)).find(cell => cell.name === name)?.addresses ?? []
}

async function cellToLeave(ctx: MovesContext, code: string, to: string): Promise<string> {
  const school = await findSchool(ctx, code)
  if (school === null) throw notFound(`The school ${code}`)
  if (school.cell === to) throw conflict(`${code} lives in ${to} already.`)
  const target = (await listCells(ctx)).find(({ name }) => name === to)
  if (target?.isDraining === true)
    throw conflict(`${to} drains: it takes no schools until \`bursar cells drain ${to} --off\`.`)
  return school.cell
}

/** Deletes the rows that schools left behind, once their time is over, or at once those of one school. */
export async function forgetOldRows(
  ctx: MovesContext,
  { code, now }: { code?: string; now: Date },
): Promise<Move[]> {
  return forgetMoved(
    moveLog(ctx.db),
    name => reach(ctx, name),
    move =>
      code === undefined
        ? move.keptUntil !== null && move.keptUntil <= now
        : move.code === code && move.finishedAt !== null,
  )
}

/** The cell at the server that takes writes. */
async function reach(
  ctx: MovesContext,
  name: string,
): Promise<Cell & { config: { connectionString: string } }> {
  let reason = 'it has no primary'
  for (const connectionString of splitDatabaseUrl(await readDatabaseUrl(ctx, name))) {
    const config = { connectionString }
    try {
      const db = await connect(config, name)
      const follows = await isStandby(db)
      await db.end()
      if (!follows) return { name, config }
    } catch (error) {
      reason = reasonOf(error)
    }
  }
  throw unavailable(`The cell ${name} is away: ${reason}`)
}

/** A move that has not ended, with what its old cell says of it; null: that cell does not answer. */
type OpenMove = Move & { hasLeft: boolean | null; isWorkedOn: boolean | null }

/** Moves that have not ended; of one that nobody works on somebody should know. */
export async function readOpenMoves(
  { db }: Pick<Context, 'db'>,
  connections: CellConnections,
): Promise<OpenMove[]> {
  const moves = await moveLog(db).listOpen()
  if (moves.length === 0) return []
  const cells = await store.listCells(db)
  return Promise.all(
    moves.map(async (move): Promise<OpenMove> => {
      const from = cells.find(({ name }) => name === move.fromCell)
      const unknown = { ...move, hasLeft: null, isWorkedOn: null }
      if (from === undefined) return unknown
      return connections
        .ask(from, async cell => ({
          ...move,
          hasLeft: (await readSide(cell, move.id)) === 'left',
          isWorkedOn: await isLocked(cell, move.schoolId),
        }))
        .catch(() => unknown)
    }),
  )
}

/** What an operator should know of the open moves that nobody works on. */
export function describeStopped(moves: readonly OpenMove[]): string[] {
  return moves.filter(({ isWorkedOn }) => isWorkedOn !== true).map(describeOpen)
}

export type Finishing = { code: string; problem: string | null }

/**
 * Goes on with every move whose school has left its old cell and whose command was killed: such a school is in no cell, or
 * is not routed to its new one, and there is no way but forward. A move that stopped later, for a reason that a person has to
 * look at, waits for that person.
 */
export async function finishMoves(
  ctx: Pick<Context, 'db' | 'vault'>,
  connections: CellConnections,
  proxies: Proxies,
  report: MoveOptions['report'],
): Promise<Finishing[]> {
  const finished: Finishing[] = []
  for (const move of await readOpenMoves(ctx, connections)) {
    if (move.hasLeft === null || move.isWorkedOn !== false || !goesOnByItself(move, move.hasLeft)) continue
    const { code, toCell: to } = move
    try {
      await moveToCell(ctx, { code, to, isBack: false }, proxies, report)
      finished.push({ code, problem: null })
    } catch (error) {
      // Another process may have been quicker.
      const isOpen = (await moveLog(ctx.db).findOpen(code)) !== null
      finished.push({ code, problem: isOpen && error instanceof Error ? error.message : null })
    }
  }
  return finished
}

/** Deletes the old rows of those moves whose time has come; answers which. */
export async function forgetMoved(
  log: MoveLog,
  cellNamed: (name: string) => Cell | Promise<Cell>,
  isDue: (move: Move) => boolean,
): Promise<Move[]> {
  const due = (await log.listKept()).filter(isDue)
  const forgotten: Move[] = []
  const failures: unknown[] = []
  // A cell that is away keeps the rows of no other.
  for (const move of due) {
    try {
      await forgetOne(move, await cellNamed(move.fromCell))
      await log.record({ ...move, forgottenAt: new Date() })
      forgotten.push(move)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return forgotten
}

async function forgetOne(move: Move, { name, config }: Cell): Promise<void> {
  const db = await connect(config, name)
  try {
    await replication.dropStash(db, namesOf(move.id).schema)
    await fence.unmark(db, move.id)
  } finally {
    await db.end()
  }
}
