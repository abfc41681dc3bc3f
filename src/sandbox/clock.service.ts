import { INDIA } from '../platform/calendar.ts'
import type { OffsetClock } from '../platform/clock.ts'
import type { Database } from '../platform/db.ts'
import type { DueWorker } from '../platform/due-work.ts'
import { badField } from '../platform/errors.ts'
import { rememberAnswer, transact, type Act } from '../platform/idempotency.ts'
import { lockSetting, readSetting, writeSetting } from '../platform/settings.ts'

/** The sandbox's clock: real time plus an offset that is stored, shared by all processes, and only ever grows. */
export type SandboxClock = { db: Database; clock: OffsetClock; worker: DueWorker }

export type ClockMove = { advance?: string | undefined; to?: Date | undefined }

export type Moved = { now: Date; summary: Record<string, number> }

const MAX_YEARS_AHEAD = 20

export async function loadOffset({ db, clock }: Pick<SandboxClock, 'db' | 'clock'>): Promise<void> {
  clock.advanceTo(Number((await readSetting(db, 'clock_offset_ms')) ?? 0))
}

/**
 * Moves the clock and answers when everything that fell due has been done, with how many of each. The move itself is
 * one transaction under a lock, so moves add up and a repeated key moves once; what falls due is too long for one, so
 * the answer is completed afterwards.
 */
export async function moveClock(sandbox: SandboxClock, act: Act<Moved>, move: ClockMove): Promise<Moved> {
  const { db, clock, worker } = sandbox
  await transact(db, act, async tx => {
    await lockSetting(tx, 'clock_offset_ms')
    clock.advanceTo(Number((await readSetting(tx, 'clock_offset_ms')) ?? 0))
    const target = checkedTarget(move, clock.now())
    await writeSetting(tx, 'clock_offset_ms', String(target.getTime() - Date.now()))
    return { now: target, summary: {} }
  })
  await loadOffset(sandbox)
  const moved = { now: clock.now(), summary: await worker.finishAllDue() }
  if (act.once !== undefined) await rememberAnswer(db, act.instituteId, act.once, act.once.answer(moved))
  return moved
}

function checkedTarget(move: ClockMove, now: Date): Date {
  const key = move.to === undefined ? 'advance' : 'to'
  const target = targetOf(move, now)
  if (target < now) throw badField(key, 'is in the past; the clock only moves forward')
  if (target.getTime() - Date.now() > MAX_YEARS_AHEAD * 366 * 86_400_000) {
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
