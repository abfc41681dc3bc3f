import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Jobs } from './jobs.service.ts'
import { JOB_KINDS } from './operator.rules.ts'

const WHEN = '2026-11-15T04:32:10.000Z'

const failure = outputOf<{ at: Date; message: string }>()
export const failureOutput = failure.object({
  at: failure.moment('When, UTC.', WHEN),
  message: failure.text('The error.', 'connect ECONNREFUSED'),
})

const job = outputOf<Jobs['jobs'][number]>()
const jobOutput = job.object({
  kind: job.oneOf(JOB_KINDS, 'What is to be done.'),
  due: job.integer('How many are due now, at most 10000.', 3),
  late_seconds: job.number('For how long the oldest has been due.', 12, ({ lateMs }) => seconds(lateMs)),
  oldest_at: job.optional.moment('Since when the oldest is due, UTC.', WHEN),
  next_at: job.optional.moment('When the next falls due, UTC.', WHEN),
})

const run = outputOf<Jobs['runs'][number]>()
const runOutput = run.object({
  job: run.text('Name of the job, as in the logs and on /metrics.', 'webhooks', ({ name }) => name),
  kind: run.oneOf(['work', 'purge'], 'Purges run once an hour.'),
  rows: run.integer('Rows it has worked on since the process started.', 120),
  failures_in_a_row: run.integer('Failures since its last success.', 0),
  last_run_at: run.optional.moment('When it last ran, UTC.', WHEN),
  duration_ms: run.optional.integer('How long its last row or batch took.', 12, ({ lastDurationMs }) =>
    lastDurationMs === null ? null : Math.round(lastDurationMs),
  ),
  oldest_due_seconds: run.optional.number(
    'For how long its oldest row has been due, in any process.',
    12,
    ({ oldestDueMs }) => (oldestDueMs === null ? null : seconds(oldestDueMs)),
  ),
  last_failure: run.optional.one('Its last failure; it was tried again.', failureOutput),
})

const letters = outputOf<Jobs['deadLetters']>()
const lettersOutput = letters.object({
  delivery: letters.integer('Deliveries that were given up, at most 10000.', 2),
  message: letters.integer('Messages that were given up, at most 10000.', 1),
  import: letters.integer('Imports that failed, at most 10000.', 0),
})

const out = outputOf<Jobs>()
export const jobsOutput = out.object({
  jobs: out.list('What is due, by kind.', jobOutput),
  runs_here: out.flag('Whether this process runs jobs, or leaves them to others.', true),
  runs: out.list('Every job, as it runs in this process.', runOutput),
  dead_letters: out.one('What nobody tries any more.', lettersOutput),
})

function seconds(ms: number): number {
  return Math.round(ms / 1_000)
}

export type JobsAnswer = Shown<typeof jobsOutput>
