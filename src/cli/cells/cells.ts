import type { Command } from 'commander'
import { readConfig } from '../../app/config.ts'
import { describeAge } from '../../app/status/status.rules.ts'
import type { CellConnections } from '../../cells/connections.ts'
import { type Cell, isCellName } from '../../cells/directory.rules.ts'
import { addCell, drainCell, listCells, placeSchool, removeCell } from '../../cells/directory.service.ts'
import { readBackends } from '../../cells/maps.service.ts'
import type { Move } from '../../cells/move/moves.store.ts'
import { forgetOldRows, moveToCell } from '../../cells/moves.service.ts'
import { type CellStatus, findRoom, readCells } from '../../cells/status.service.ts'
import { addSyncCommand } from './sync.ts'
import { withConnections, withDirectory } from './with-directory.ts'
import { addExamples, InputError, formatTable, formatTimeOfDay, show, writeError } from '../terminal.ts'
import { collectBranch, readInstituteCode, readName } from '../operator-input.ts'
import type { Context } from '../../platform/context.ts'
import { databaseUrlProblem } from '../../platform/db/pool.ts'

/** Run against the cell that keeps the directory: DATABASE_URL names it. */
export function addCellCommands(program: Command): void {
  const cells = program
    .command('cells')
    .description(
      'several installations as one service: which school lives in which cell (docs/operator/cells.md)',
    )
  addExamples(cells, ['bursar cells status', 'bursar cells place green-park --name "Green Park School"'])
  addAdd(cells)

  const list = cells.command('list').description('show the cells of the directory').action(runList)
  addExamples(list, ['bursar cells list', 'bursar cells list --json'])

  const status = cells
    .command('status')
    .description('ask every cell how it is; exits with 1 if one is away or a move has stopped')
    .action(runStatus)
  addExamples(status, ['bursar cells status', 'bursar cells status --json'])

  const drain = cells
    .command('drain')
    .description('give a cell no new schools; those that it has stay until they are moved')
    .argument('<cell>', 'name of the cell', readCell)
    .option('--off', 'give it new schools again')
    .action(runDrain)
  addExamples(drain, ['bursar cells drain north', 'bursar cells drain north --off'])

  const remove = cells
    .command('remove')
    .description('take a cell without schools out of the directory')
    .argument('<cell>', 'name of the cell', readCell)
    .action(runRemove)
  addExamples(remove, ['bursar cells remove north'])
  addPlace(cells)
  addMoveCommands(cells, readCell)
  addSyncCommand(cells)
}

type AddOptions = { address: string[]; databaseEnv?: string }

function addAdd(cells: Command): void {
  const add = cells
    .command('add')
    .description('add a cell, the one of DATABASE_URL first; for a known one: change where it is')
    .argument('<name>', 'lower-case letters, digits and hyphens; the CELL of its processes', readCell)
    .requiredOption(
      '--address <host:port>',
      'where the proxies reach a process of it; repeat for more',
      collectAddress,
    )
    .option(
      '--database-env <name>',
      'the environment variable that holds its DATABASE_URL (default: this one)',
    )
    .action(runAdd)
  addExamples(add, [
    'bursar cells add north --address 10.1.0.11:8080 --address 10.1.0.12:8080',
    'SOUTH_DATABASE_URL=postgres://… bursar cells add south --address 10.2.0.11:8080 --database-env SOUTH_DATABASE_URL',
  ])
}

async function runAdd(name: string, { address, databaseEnv }: AddOptions): Promise<void> {
  const own = readConfig(process.env).databaseUrl
  const url = databaseEnv === undefined ? own : (process.env[databaseEnv] ?? null)
  if (url === null)
    throw new InputError(
      databaseEnv === undefined
        ? 'Cells need a PostgreSQL of their own each: set DATABASE_URL to that of the first cell.'
        : `${databaseEnv} is not set.`,
    )
  const flaw = databaseUrlProblem(url)
  if (flaw !== null) throw new InputError(flaw)
  await withDirectory(async ctx => {
    const cells = await listCells(ctx)
    if (cells.length === 0 && url !== own)
      throw new InputError(
        'The first cell is the one of DATABASE_URL, which keeps the directory: leave --database-env out.',
      )
    if (databaseEnv === undefined && cells.length > 0 && cells[0]?.name !== name)
      throw new InputError(
        `DATABASE_URL is the cell ${cells[0]?.name}: name the database of ${name} by --database-env.`,
      )
    const cell = await addCell(ctx, { name, addresses: address, databaseUrl: url })
    show(
      cellToJson(cell),
      `${name} is in the directory. Schools that are made there get ids from ${cell.firstInstituteId} on.\n` +
        `Start its processes with CELL=${name}, then: bursar cells sync --maps FOLDER, and reload the proxies.`,
    )
  })
}

async function runList(): Promise<void> {
  await withDirectory(async ctx => {
    const cells = await listCells(ctx)
    const rows = cells.map(cell => [
      cell.name,
      stateOf(cell),
      String(cell.firstInstituteId),
      cell.addresses.join(', '),
    ])
    const hint =
      'There are no cells: this installation stands by itself. Add it: bursar cells add NAME --address HOST:PORT'
    show(
      cells.map(cellToJson),
      rows.length === 0 ? hint : formatTable(['CELL', 'STATE', 'IDS FROM', 'ADDRESSES'], rows),
    )
  })
}

async function runStatus(): Promise<void> {
  await withConnections(showStatus).catch(async (error: unknown) => {
    // What the proxies see of the cells is known without the directory.
    const seen = await readBackends(readConfig(process.env).proxies)
    const rows = seen.map(({ cell, isUp }) => [cell, isUp ? 'answers' : 'away'])
    if (seen.length > 0) show(seen, formatTable(['CELL', 'AS THE PROXY SEES IT'], rows))
    throw error
  })
}

async function showStatus(ctx: Context, connections: CellConnections): Promise<void> {
  const cells = await readCells(ctx, connections)
  const rows = cells.map(cell =>
    cell.isAway
      ? [cell.name, 'away', '', '', '', '', '', cell.reason]
      : [
          cell.name,
          stateOf(cell),
          String(cell.schools),
          String(cell.students),
          String(cell.paymentsToday),
          String(cell.due),
          cell.due === 0 ? '' : describeAge(cell.lateMs),
          cell.versions.join(', ') || 'no process is connected',
        ],
  )
  const stopped = cells.flatMap(({ stoppedMoves }) => stoppedMoves)
  const table = formatTable(
    ['CELL', 'STATE', 'SCHOOLS', 'STUDENTS', 'PAID TODAY', 'DUE', 'OLDEST', 'VERSION'],
    rows,
  )
  show(cells.map(statusToJson), [table, ...stopped].join('\n'))
  if (stopped.length > 0 || cells.some(({ isAway }) => isAway)) process.exitCode = 1
}

async function runDrain(name: string, { off }: { off?: true }): Promise<void> {
  await withDirectory(async ctx => {
    await drainCell(ctx, name, off !== true)
    show(
      { name, state: off === true ? 'open' : 'draining' },
      `${name} gets ${off === true ? '' : 'no '}new schools${off === true ? ' again' : ''}.`,
    )
  })
}

async function runRemove(name: string): Promise<void> {
  await withDirectory(async ctx => {
    await removeCell(ctx, name)
    show(
      { name, removed: true },
      `${name} is not in the directory any more. Write the maps anew and reload the proxies.`,
    )
  })
}

type PlaceOptions = { name: string; branch?: ReturnType<typeof collectBranch>; strict?: true; cell?: string }

const STANDARD_BRANCHES = [{ collectorCode: 'MAIN', name: 'Main branch' }]

function addPlace(cells: Command): void {
  const place = cells
    .command('place')
    .description('add an institute in the cell with the fewest students that takes new ones')
    .argument('<code>', 'as in `bursar institutes create`', readInstituteCode)
    .requiredOption('--name <name>', 'as parents know it', readName)
    .option(
      '--branch <code=name>',
      'a branch; repeat for more, the first is the default (MAIN if none)',
      collectBranch,
    )
    .option('--strict', 'refuse grades, components and discounts outside the catalogue')
    .option('--cell <cell>', 'this one instead', readCell)
    .action(runPlace)
  addExamples(place, [
    'bursar cells place green-park --name "Green Park School"',
    'bursar cells place green-park --name "Green Park School" --cell south',
  ])
}

async function runPlace(code: string, options: PlaceOptions): Promise<void> {
  await withConnections(async (ctx, connections) => {
    const cell = options.cell ?? (await findRoom(ctx, connections))
    if (cell === null) throw new InputError('No cell takes new schools: see `bursar cells status`.')
    await placeSchool(ctx, connections, {
      cell,
      code,
      name: options.name,
      strictCatalogue: options.strict === true,
      branches: options.branch ?? STANDARD_BRANCHES,
    })
    show(
      { code, cell },
      `Created the institute ${code} in ${cell}. The proxies route it when \`bursar cells sync\` has told them.\n` +
        `Its people sign in at ${ctx.publicUrl}/console/i/${code}. Next, with DATABASE_URL of ${cell}: bursar keys create ${code}`,
    )
  })
}

function readCell(text: string): string {
  if (isCellName(text)) return text
  throw new InputError(
    `"${text}" cannot be the name of a cell: use 1 to 31 lower-case letters, digits and hyphens, a letter first.`,
  )
}

function collectAddress(text: string, before: readonly string[] = []): string[] {
  if (!/^[\w.-]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(text))
    throw new InputError(`"${text}" is not an address: write HOST:PORT.`)
  return [...before, text]
}

function stateOf({ isDraining }: Pick<Cell, 'isDraining'>): string {
  return isDraining ? 'draining' : 'open'
}

function cellToJson(cell: Cell): object {
  const { name, addresses, firstInstituteId } = cell
  return { name, state: stateOf(cell), addresses, first_institute_id: firstInstituteId }
}

function statusToJson(cell: CellStatus): object {
  const known = { ...cellToJson(cell), stopped_moves: cell.stoppedMoves }
  if (cell.isAway) return { ...known, is_away: true, reason: cell.reason }
  const { schools, students, paymentsToday, due, lateMs, versions } = cell
  const load = { schools, students, payments_today: paymentsToday, due, late_ms: lateMs, versions }
  return { ...known, is_away: false, ...load }
}

type MoveFlags = { to: string; back?: true; longestPause?: number; replicateFromEnv?: string }

function addMoveCommands(cells: Command, readCell: (text: string) => string): void {
  const move = cells
    .command('move')
    .description('move a school to another cell, or go on with a move that stopped')
    .argument('<school>', 'its code', readInstituteCode)
    .requiredOption('--to <cell>', 'where it is to live', readCell)
    .option('--back', 'end the move instead, while the school has not left')
    .option('--longest-pause <seconds>', 'do not begin a pause that would take longer (2)', readSeconds)
    .option(
      '--replicate-from-env <name>',
      "the environment variable that says how the new cell's PostgreSQL reaches the old one (as this command does)",
    )
    .action(runMove)
  addExamples(move, [
    'bursar cells move green-park --to south',
    'bursar cells move green-park --to south --back',
  ])

  const forget = cells
    .command('forget')
    .description('delete rows that moved schools left behind: those of one school, or all older than 30 days')
    .argument('[school]', 'its code', readInstituteCode)
    .action(runForget)
  addExamples(forget, ['bursar cells forget', 'bursar cells forget green-park'])
}

async function runMove(code: string, { to, back, longestPause, replicateFromEnv }: MoveFlags): Promise<void> {
  const { proxies } = readConfig(process.env)
  await withDirectory(async ctx => {
    const longestPauseMs = longestPause === undefined ? undefined : longestPause * 1_000
    const replicateFrom = replicateFromEnv === undefined ? undefined : process.env[replicateFromEnv]
    if (replicateFromEnv !== undefined && replicateFrom === undefined)
      throw new InputError(`${replicateFromEnv} is not set.`)
    const request = { code, to, isBack: back === true, longestPauseMs, replicateFrom }
    const move = await moveToCell(ctx, request, proxies, ({ text }) =>
      writeError(`${formatTimeOfDay(new Date())} ${text}\n`),
    )
    show(moveToJson(move), describeEnd(move))
  })
}

async function runForget(code: string | undefined): Promise<void> {
  await withDirectory(async ctx => {
    const forgotten = await forgetOldRows(ctx, { ...(code === undefined ? {} : { code }), now: new Date() })
    show(
      forgotten.map(moveToJson),
      forgotten.length === 0
        ? 'No rows that a school left behind are to be deleted.'
        : forgotten.map(move => `Deleted what ${move.code} left in ${move.fromCell}.`).join('\n'),
    )
  })
}

function describeEnd({ code, fromCell, toCell, direction, figures, keptUntil }: Move): string {
  if (direction === 'back') return `${code} stays in ${fromCell}; what was copied to ${toCell} is deleted.`
  const { rows, pauseMs } = figures
  return [
    `${code} lives in ${toCell}: ${rows ?? 0} rows moved, paused for ${((pauseMs ?? 0) / 1_000).toFixed(1)} s.`,
    `Its old rows are kept in ${fromCell} until ${keptUntil?.toISOString().slice(0, 10) ?? 'they are forgotten'}.`,
  ].join('\n')
}

function moveToJson(move: Move): object {
  const { id, code, fromCell, toCell, direction, step, figures, keptUntil } = move
  const counts = { rows: figures.rows ?? null, pause_ms: figures.pauseMs ?? null }
  return { id, code, from: fromCell, to: toCell, direction, step, ...counts, kept_until: keptUntil }
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 600))
    throw new InputError(`"${text}" is not a number of seconds up to 600.`)
  return seconds
}
