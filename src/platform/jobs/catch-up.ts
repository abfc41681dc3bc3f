import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { JobRecord } from './figures.ts'
import { type Job, runUntilDone, Slots } from './job.ts'
import { addAll } from '../lists.ts'

type Records = ReadonlyMap<string, JobRecord>
type Counts = Record<string, number>

/** Runs the jobs one after the other, each row by row: a moved clock does everything in a stated order. */
export async function runInOrder(
  jobs: readonly Job[],
  records: Records,
): Promise<{ done: Counts; failed: Counts; errors: unknown[] }> {
  const done: Counts = {}
  const failed: Counts = {}
  const errors: unknown[] = []
  for (const job of jobs) {
    const { rows, failures } = await runHere(job, records.get(job.name))
    done[job.name] = rows
    if (failures.size > 0) failed[job.name] = failures.size
    addAll(errors, failures)
  }
  return { done, failed, errors }
}

async function runHere(
  { name, run, timeLimitMs }: Job,
  record: JobRecord | undefined,
): Promise<{ rows: number; failures: Set<unknown> }> {
  let rows = 0
  const failures = new Set<unknown>()
  const slots = new Slots({
    job: name,
    size: 1,
    timeLimitMs,
    onEnd(end) {
      record?.endTask(end)
      if ('error' in end) failures.add(end.error)
      else rows += end.rows
    },
  })
  try {
    await runUntilDone(run, slots)
    record?.endRun()
  } catch (error) {
    record?.failRun(error)
    failures.add(error)
  }
  return { rows, failures }
}

const FINISH_LIMIT_MS = 60_000
const AGAIN_MS = 100
const MOST_FAILED_RUNS = 3

/**
 * Does everything that is due and waits for what other processes are doing of it. A job that keeps failing is left for
 * later, so that time goes on without it. A database that is away is no failure of a job: it ends the move. Returns how
 * often each job failed that did.
 */
export async function finishAllDue(jobs: readonly Job[], records: Records, clock: Clock): Promise<Counts> {
  const failed: Counts = {}
  const failedRuns: Counts = {}
  const deadline = Date.now() + FINISH_LIMIT_MS
  for (let left = jobs; Date.now() < deadline;) {
    const round = await runInOrder(left, records)
    addCounts(failed, round.failed)
    for (const name of Object.keys(round.failed)) failedRuns[name] = (failedRuns[name] ?? 0) + 1
    left = left.filter(({ name }) => (failedRuns[name] ?? 0) < MOST_FAILED_RUNS)
    if (!(await isAnyDue(left, clock))) break
    // If rows are due and none was done, another process holds them or they fail: wait before the next round.
    if (Object.values(round.done).every(rows => rows === 0)) await wait(AGAIN_MS)
  }
  return failed
}

export function addCounts(sum: Counts, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
}

async function isAnyDue(jobs: readonly Job[], clock: Clock): Promise<boolean> {
  const nexts = await Promise.all(jobs.map(async job => (await job.nextDueAt?.()) ?? null))
  const soon = new Date(clock.now().getTime() + AGAIN_MS)
  return nexts.some(next => next !== null && next <= soon)
}
