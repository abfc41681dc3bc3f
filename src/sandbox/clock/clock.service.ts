import { DAY_MS, INDIA } from '../../platform/calendar.ts'
import type { OffsetClock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { isHeld, NoPermit } from '../../platform/db/cluster-semaphore.ts'
import { badField, unavailable } from '../../platform/errors.ts'
import {
  beginOnce,
  completeAnswer,
  readBegun,
  stillRunning,
  type Command,
} from '../../platform/idempotency.ts'
import { addCounts, type JobRunner } from '../../platform/jobs/job-runner.ts'
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
export type ClockAdvance = { now: Date; summary: Record<string, number>; failed: Record<string, number> }

/** How many rows each job had, and how often each job failed that did. */
type Finished = { done: Record<string, number>; failed: Record<string, number> }

const MAX_YEARS_AHEAD = 20
const STUCK_STEP_MS = 60 * 60 * 1_000

export async function loadOffset({ db, clock }: Pick<SandboxClock, 'db' | 'clock'>): Promise<void> {
  clock.advanceTo(Number((await readSetting(db, 'clock_offset_ms')) ?? 0))
}

/** Moves of all processes, one at a time. Whose process dies over one lets go of it at once. */
const PERMIT = 'bursar clock move'

/**
 * Moves the clock and answers when everything that fell due has been done, with how many of each. Where to is written
 * down under the key before the first step, and the way there goes from one moment at which something falls due to the
 * next, so that a year happens in its order. What a crash leaves of a move is finished by whoever comes next: the same
 * request again, another move, or the next start.
 */
export async function moveClock(
  sandbox: SandboxClock,
  command: Command<ClockAdvance>,
  move: ClockMove,
): Promise<ClockAdvance> {
  const { db, clock } = sandbox
  // Said at once: what is no move has nothing to wait for.
  targetOf(move, clock.now())
  if ((await readBegun(db, command)) !== null && (await isHeld(db, PERMIT))) throw stillRunning()
  return moveAlone(sandbox, true, async () => {
    const sum = await finishInterrupted(sandbox)
    const target = await beginOnce(db, command, async tx => {
      const wanted = checkedTarget(move, clock.now())
      await writeSetting(tx, 'clock_target', String(wanted.getTime()))
      return { step: String(wanted.getTime()), result: { now: wanted, summary: {}, failed: {} } }
    })
    add(sum, await goTo(sandbox, new Date(Number(target))))
    const { done, failed } = sum
    const failures = Object.values(failed).reduce((total, count) => total + count, 0)
    const summary = failures === 0 ? done : { ...done, work_failed: failures }
    const moved = { now: clock.now(), summary, failed }
    await completeAnswer(db, command, moved)
    return moved
  })
}

/** Finishes a move that a process died over. */
export async function finishMove(sandbox: SandboxClock): Promise<void> {
  const target = Number((await readSetting(sandbox.db, 'clock_target')) ?? 0)
  if (target <= sandbox.clock.now().getTime()) return
  await moveAlone(sandbox, false, () => finishInterrupted(sandbox))
}

async function moveAlone<Result>(
  sandbox: SandboxClock,
  isPerson: boolean,
  act: () => Promise<Result>,
): Promise<Result> {
  const release = await sandbox.db.semaphore.acquire(PERMIT, 1, isPerson).catch((error: unknown) => {
    throw error instanceof NoPermit ? unavailable('The clock is being moved. Try again shortly.') : error
  })
  try {
    return await act()
  } finally {
    release()
  }
}

/** Nobody else moves the clock now, so a target that it has not reached is one that nobody goes to any more. */
async function finishInterrupted(sandbox: SandboxClock): Promise<Finished> {
  const { db, clock } = sandbox
  await loadOffset(sandbox)
  const target = Number((await readSetting(db, 'clock_target')) ?? 0)
  return target > clock.now().getTime() ? goTo(sandbox, new Date(target)) : { done: {}, failed: {} }
}

/** The loops of the jobs go on meanwhile: what they do of it counts as done by the move. */
async function goTo(sandbox: SandboxClock, target: Date): Promise<Finished> {
  const { worker, clock } = sandbox
  const failed: Finished['failed'] = {}
  await sandbox.beforeMove?.()
  const before = worker.rowsDone
  let last = 0
  for (let isThere = false; !isThere;) {
    const stop = await worker.nextStop()
    isThere = stop === null || stop >= target
    // A moment that is still there after it was done is somebody else's trouble: time goes on without it.
    const isStuck = stop?.getTime() === last
    last = stop?.getTime() ?? 0
    const next = isStuck ? new Date(clock.now().getTime() + STUCK_STEP_MS) : (stop ?? target)
    await setClock(sandbox, next < target ? next : target)
    addCounts(failed, await worker.finishAllDue())
    if (clock.now() >= target) isThere = true
  }
  const after = Object.entries(worker.rowsDone)
  return { done: Object.fromEntries(after.map(([name, rows]) => [name, rows - (before[name] ?? 0)])), failed }
}

function add(sum: Finished, { done, failed }: Finished): void {
  addCounts(sum.done, done)
  addCounts(sum.failed, failed)
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
