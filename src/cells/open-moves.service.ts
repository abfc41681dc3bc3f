import type { Context } from '../platform/context.ts'
import type { CellConnections } from './connections.ts'
import * as store from './directory.store.ts'
import type { Proxies } from './maps.service.ts'
import { isLocked, readSide } from './move/fence.store.ts'
import type { MoveOptions } from './move/move.service.ts'
import { goesOnByItself } from './move/move.rules.ts'
import { describeOpen } from './move/move.texts.ts'
import { moveLog, type Move } from './move/moves.store.ts'
import { moveToCell } from './moves.service.ts'

/** A move that has not ended, with what its old cell says of it; null: that cell does not answer. */
export type OpenMove = Move & { hasLeft: boolean | null; isWorkedOn: boolean | null }

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
