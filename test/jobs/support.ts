import type { Job } from '../../src/platform/jobs/job.ts'
import { JobRunner, type JobTiming } from '../../src/platform/jobs/job-runner.ts'
import { processBatches } from '../../src/platform/jobs/due-rows.ts'
import { realClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'

type Owner = { after(done: () => Promise<void> | void): void }

/** Starts jobs that end with the test. */
export function startJobs(
  owner: Owner,
  jobs: readonly Job[],
  timing: Partial<JobTiming> = {},
  readPulse?: () => Promise<string>,
): JobRunner {
  const log = createLog({ level: 'silent', format: 'json', destination: { write() {} } })
  const runner = new JobRunner(jobs, {
    clock: realClock,
    log,
    timing: { longestPauseMs: 50, ...timing },
    ...(readPulse === undefined ? {} : { readPulse }),
  })
  owner.after(() => runner.stop())
  runner.start()
  return runner
}

export function jobOf(name: string, run: Job['run'], more: Partial<Job> = {}): Job {
  return { name, kind: 'work', concurrency: 1, timeLimitMs: 5_000, run, ...more }
}

export function batchJob(name: string, runBatch: () => Promise<number>, more: Partial<Job> = {}): Job {
  return jobOf(name, processBatches(runBatch), more)
}

export const never = (): Promise<never> => new Promise(() => {})

/** A job whose rows are moments at which they are due; it notes how late each was done. */
export function punctualJob(name: string): { job: Job; add: (dueAt: Date) => void; lateMs: number[] } {
  const due: Date[] = []
  const lateMs: number[] = []
  const job = batchJob(
    name,
    async () => {
      const [first] = due
      if (first === undefined || first > new Date()) return 0
      due.shift()
      lateMs.push(Date.now() - first.getTime())
      return 1
    },
    { nextDueAt: async () => due[0] ?? null },
  )
  return { job, lateMs, add: dueAt => void due.push(dueAt) }
}
