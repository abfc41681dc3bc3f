import type { Context } from '../../platform/context.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { JobRunner, JobStatus } from '../../platform/jobs/job-runner.ts'
import * as store from './jobs.store.ts'
import type { LetterKind } from './operator.rules.ts'

export type { Job as DueWork } from './jobs.store.ts'

export type Jobs = {
  jobs: store.Job[]
  /** Whether this process runs jobs; the ages of what is due come from the database and hold for all processes. */
  runsHere: boolean
  runs: (JobStatus & { oldestDueMs: number | null })[]
  deadLetters: Record<LetterKind, number>
}

/** What is due, whichever process is to do it. */
export async function readDueWork({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<store.Job[]> {
  return store.readJobs(db, clock.now())
}

export async function readJobs({ db, clock }: Context, runner: JobRunner): Promise<Jobs> {
  const [jobs, ages, deadLetters] = await Promise.all([
    store.readJobs(db, clock.now()),
    runner.oldestDueMs(),
    store.countDeadLetters(db),
  ])
  const runs = runner.statuses.map(status => ({ ...status, oldestDueMs: ages.get(status.name) ?? null }))
  return { jobs, runsHere: runner.isStarted, runs, deadLetters }
}

const LOST_MS = 2 * DAY_MS

/** Messages of all institutes that were given up within two days. */
export async function countLostMessages({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return store.countLostMessages(db, new Date(clock.now().getTime() - LOST_MS))
}

/** How many of each were given up, over all institutes. */
export async function countDeadLetters({ db }: Pick<Context, 'db'>): Promise<Record<LetterKind, number>> {
  return store.countDeadLetters(db)
}
