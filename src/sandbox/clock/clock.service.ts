import { DAY_MS, INDIA } from '../../platform/calendar.ts'
import type { OffsetClock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { badField } from '../../platform/errors.ts'
import { completeAnswer, transact, type Command } from '../../platform/idempotency.ts'
import { addCounts, type Finished } from '../../platform/jobs/catch-up.ts'
import type { JobRunner } from '../../platform/jobs/job-runner.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'

/** The sandbox's clock: real time plus an offset that is stored, shared by all processes, and only ever grows. */
export type SandboxClock = {
  db: Database
  clock: OffsetClock
  worker: JobRunner
  /** What follows by itself from what happened until now. */
  beforeMove?: () => Promise<void>
}

export type ClockMove = { advance?: string | undefined; to?: Date | undefined }

/** How many rows each job had, and which jobs failed how often. */
export type Moved = { now: Date; summary: Record<string, number>; failed: Record<string, number> }

const MAX_YEARS_AHEAD = 20
const STUCK_STEP_MS = 60 * 60 * 1_000

export async function loadOffset({ db, clock }: Pick<SandboxClock, 'db' | 'clock'>): Promise<void> {
  clock.advanceTo(Number((await readSetting(db, 'clock_offset_ms')) ?? 0))
}

/**
 * Moves the clock and answers when everything that fell due has been done, with how many of each. Where to is written
 * down in one transaction under a lock, so moves add up and a repeated key moves once. The way there goes from one moment
 * at which something falls due to the next, so that a year happens in its order; a process that crashes on the way is followed by
 * the next start.
 */
export async function moveClock(
  sandbox: SandboxClock,
  command: Command<Moved>,
  move: ClockMove,
): Promise<Moved> {
  const { db, clock } = sandbox
  const { now: target } = await transact(db, command, async tx => {
    await lockSetting(tx, 'clock_offset_ms')
    clock.advanceTo(Number((await readSetting(tx, 'clock_offset_ms')) ?? 0))
    const pending = Number((await readSetting(tx, 'clock_target')) ?? 0)
    const from = new Date(Math.max(clock.now().getTime(), pending))
    const wanted = checkedTarget(move, from)
    await writeSetting(tx, 'clock_target', String(wanted.getTime()))
    return { now: wanted, summary: {}, failed: {} }
  })
  await sandbox.beforeMove?.()
  const { done, failed } = await goTo(sandbox, target)
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  const summary = failures === 0 ? done : { ...done, work_failed: failures }
  const moved = { now: clock.now(), summary, failed }
  await completeAnswer(db, command, moved)
  return moved
}

/** Finishes a move that a process died over. */
export async function finishMove(sandbox: SandboxClock): Promise<void> {
  const target = Number((await readSetting(sandbox.db, 'clock_target')) ?? 0)
  if (target > sandbox.clock.now().getTime()) await goTo(sandbox, new Date(target))
}

async function goTo(sandbox: SandboxClock, target: Date): Promise<Finished> {
  const { worker, clock } = sandbox
  const sum: Finished = { done: {}, failed: {} }
  let last = 0
  for (let isThere = false; !isThere;) {
    const stop = await worker.nextStop()
    isThere = stop === null || stop >= target
    // A moment that is still there after it was done is somebody else's trouble: time goes on without it.
    const isStuck = stop?.getTime() === last
    last = stop?.getTime() ?? 0
    const next = isStuck ? new Date(clock.now().getTime() + STUCK_STEP_MS) : (stop ?? target)
    await setClock(sandbox, next < target ? next : target)
    const { done, failed } = await worker.finishAllDue()
    addCounts(sum.done, done)
    addCounts(sum.failed, failed)
    if (clock.now() >= target) isThere = true
  }
  return sum
}

/** Forward only: a moment that is past stops nobody. */
async function setClock({ db, clock }: SandboxClock, moment: Date): Promise<void> {
  await db.transaction(async tx => {
    await lockSetting(tx, 'clock_offset_ms')
    const known = Number((await readSetting(tx, 'clock_offset_ms')) ?? 0)
    const offset = Math.max(known, moment.getTime() - Date.now())
    await writeSetting(tx, 'clock_offset_ms', String(offset))
    clock.advanceTo(offset)
  })
}

function checkedTarget(move: ClockMove, now: Date): Date {
  const key = move.to === undefined ? 'advance' : 'to'
  const target = targetOf(move, now)
  if (target < now) throw badField(key, 'is in the past; the clock only moves forward')
  if (target.getTime() - Date.now() > MAX_YEARS_AHEAD * 366 * DAY_MS) {
    throw badField(key, `is more than ${MAX_YEARS_AHEAD} years ahead of real time`)
  }
  return target
}

function targetOf(move: ClockMove, now: Date): Date {
  if ((move.advance === undefined) === (move.to === undefined)) {
    throw badField('advance', 'or to is required, and only one of them')
  }
  return move.to ?? addDuration(now, move.advance ?? '')
}

/** Calendar units count in India, where a month is a month of the calendar. */
function addDuration(now: Date, text: string): Date {
  try {
    const duration = Temporal.Duration.from(text)
    const start = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(INDIA)
    return new Date(start.add(duration).epochMilliseconds)
  } catch {
    throw badField('advance', 'must be an ISO 8601 duration such as P1D, P1M or PT6H')
  }
}
