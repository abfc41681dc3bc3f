import type { Command } from 'commander'
import { readConfig } from '../../app/config.ts'
import { forgetOldRows, moveToCell } from '../../cells/moves.service.ts'
import type { Move } from '../../cells/move/moves.store.ts'
import { addExamples } from '../terminal/help.ts'
import { InputError } from '../terminal/failures.ts'
import { formatTimeOfDay, show, writeError } from '../terminal/output.ts'
import { readInstituteCode } from '../input.ts'
import { withDirectory } from './with-directory.ts'

type MoveFlags = { to: string; back?: true; longestPause?: number; replicateFromEnv?: string }

export function addMoveCommands(cells: Command, readCell: (text: string) => string): void {
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
