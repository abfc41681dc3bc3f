import type { Context } from '../platform/context.ts'
import { splitDatabaseUrl } from '../platform/db/database-url.ts'
import { conflict, notFound, unavailable } from '../platform/errors.ts'
import { isStandby } from './cell.store.ts'
import { findSchool, listCells, readDatabaseUrl, reasonOf, setCellOf } from './directory.service.ts'
import { publishRoutes, type Proxies } from './maps.service.ts'
import { connect } from './move/connection.ts'
import { forgetMoved, moveBack, moveSchool, type MoveOptions } from './move/move.service.ts'
import { moveLog, type Move } from './move/moves.store.ts'
import type { Cell } from './move/sides.ts'

type MovesContext = Pick<Context, 'db' | 'vault'>

export type MoveRequest = {
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
    async onSwitch({ move }) {
      await setCellOf(ctx, { instituteId: move.schoolId, cell: move.toCell })
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
