import { type Cell, connect } from './connection.ts'
import * as fence from './fence.store.ts'
import { namesOf } from './move.rules.ts'
import type { Move, MoveLog } from './moves.store.ts'
import * as replication from './replication.store.ts'

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
