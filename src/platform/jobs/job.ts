import type { WakeupChannel } from '../db/transaction.ts'
import type { Slots } from './slots.ts'

/** Work that falls due by itself. It is data: the runner gives each job a loop, slots, a back-off and figures of its own. */
export type Job = {
  name: string
  /** `work` runs whenever something is due; `purge` deletes what is past its time, or looks after things in another way, once an hour. */
  kind: 'work' | 'purge'
  /** How many rows or batches this process works on at a time. */
  concurrency: number
  /** Limit for one row or batch. One that takes longer counts as failed and frees its slot. */
  timeLimitMs: number
  run: Run
  /** Notified when there may be something new to do; absent: the job looks every few seconds. */
  wakesOn?: WakeupChannel
  /** When the oldest row is or falls due, by our clock; absent: the job looks every few seconds. */
  nextDueAt?(): Promise<Date | null>
  /** Where a clock that is moved far ahead must stop, so that everything happens in its order; absent: nowhere. */
  nextStop?(): Promise<Date | null>
}

/** Starts what is due in free slots; returns whether more may be due already. */
export type Run = (slots: Slots) => Promise<boolean>

/** Runs until nothing more is due and everything that was started has ended. */
export async function runUntilDone(run: Run, slots: Slots): Promise<void> {
  try {
    while (await run(slots));
  } finally {
    await slots.idle()
  }
}
