import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { EXAMPLE } from '../../providers/catalogue.ts'
import type { KeyNumbers } from '../../http/metrics.ts'
import { stateOf } from '../../providers/accounts/accounts.rules.ts'
import { CHANNELS } from '../../messages/messages.rules.ts'
import type { BackupState } from '../../platform/backup/schedule.ts'
import type { Health, Setup, Jobs } from './health.service.ts'
import { JOB_KINDS } from './operator.rules.ts'

const WHEN = '2026-11-15T04:32:10.000Z'

/** Institutes, branches, holidays and what was given up, as the operator looks after them. */
const reason = field.text('Why; stands in the audit log.', 'Asked by the school')
const name = field.text('As parents know it.', 'Green Park School')
const day = field.day('On which banks do not work.', '2030-01-26')
const MOST_BRANCHES = 100

const branch = input({
  collector_code: field.code('Code of the branch.', 'MAIN'),
  name: field.text('As parents know it.', 'Main branch'),
})

export const newInstituteInput = input({
  code: field.code('Lower-case letters, digits and hyphens; stays for good.', 'green-park'),
  name,
  branches: field.list('The first is the default one.', branch, { min: 1, max: MOST_BRANCHES }),
})

export const instituteParams = input({ code: field.code("The institute's code.", 'demo-school') })
export const renameInstituteInput = input({ name, reason })
export const newBranchInput = input({
  ...branch.fields,
  is_default: optional(field.flag('In place of the present default branch.', false), false),
})
export const defaultBranchInput = input({ collector_code: branch.fields.collector_code, reason })

export const newHolidayInput = input({ day, name: field.text('What it is.', 'Republic Day', 100), reason })
export const holidayParams = input({ day })
export const reasonInput = input({ reason })

export const messageParams = input({
  message_id: field.resourceId('Id of the message.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const created = outputOf<Pick<Institute, 'code'>>()
export const createdInstituteOutput = created.object({ code: created.text('Its code.', 'green-park') })

function round(value: number): number {
  return Math.round(value * 10) / 10
}

export type HealthAnswer = Shown<typeof healthOutput>
export type ProvidersAnswer = Shown<typeof setupOutput>

const failure = outputOf<{ at: Date; message: string }>()
const failureOutput = failure.object({
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

const work = outputOf<Jobs>()
export const jobsOutput = work.object({
  jobs: work.list('What is due, by kind.', jobOutput),
  runs_here: work.flag('Whether this process runs jobs, or leaves them to others.', true),
  runs: work.list('Every job, as it runs in this process.', runOutput),
  dead_letters: work.one('What nobody tries any more.', lettersOutput),
})

function seconds(ms: number): number {
  return Math.round(ms / 1_000)
}

export type JobsAnswer = Shown<typeof jobsOutput>

/** The installation: how it is, and what is set up for it. */

const connections = outputOf<Health['database']['connections']>()
const connectionsOutput = connections.object({
  total: connections.integer('Open.', 10),
  idle: connections.integer('Of these not in use.', 8),
  waiting: connections.integer('Requests that wait for one.', 0),
})

const database = outputOf<Health['database']>()
const databaseOutput = database.object({
  version: database.text('Of PostgreSQL.', '18.1'),
  is_own: database.flag('Ours, under the data folder, or one that was there before.', true),
  bytes: database.number('How large it is.', 123_456_789),
  answered_in_ms: database.number('How long a short query took.', 0.7, of => round(of.answeredInMs)),
  started_at: database.moment('Since when it runs, UTC.', WHEN),
  connections: database.one('Of this process.', connectionsOutput),
})

const migrations = outputOf<Health['migrations']>()
const migrationsOutput = migrations.object({
  version: migrations.integer('How far the database is.', 1),
  expected: migrations.integer('How far this version wants it.', 1),
  name: migrations.text('The last one.', '0001_schema'),
  applied_at: migrations.moment('When it ran, UTC.', WHEN),
})

const workers = outputOf<Health['workers']>()
const workersOutput = workers.object({
  runs_here: workers.flag('Whether this process does due work, or leaves it to others.', true),
  is_behind: workers.flag('Whether something has been due for more than five minutes.', false),
  last_round_at: workers.optional.moment('When this process last did all of it, UTC.', WHEN),
  last_failure: workers.optional.one('The last round that failed; it was tried again.', failureOutput),
})

const backup = outputOf<BackupState>()
const backupOutput = backup.object({
  last_at: backup.optional.moment('When the last good one was begun, UTC; absent: never.', WHEN),
  bytes: backup.number('How large that is.', 12_345_678, ({ lastBytes }) => lastBytes),
  kept: backup.integer('Backups in the folder.', 7),
  next_at: backup.moment('When the next one is due, UTC.', WHEN),
  is_late: backup.flag('The last try failed, or none was made for two hours after it was due.', false),
  last_failure: backup.optional.one('The last try that failed.', failureOutput),
})

const disk = outputOf<NonNullable<Health['disk']>>()
const diskOutput = disk.object({
  free_bytes: disk.number('Free.', 12_345_678_901),
  total_bytes: disk.number('In all.', 98_765_432_101),
  is_almost_full: disk.flag('Less than a tenth, or less than 1 GiB, is free.', false),
})

type Numbers = KeyNumbers & { requestsNotLogged: number }

const numbers = outputOf<Numbers>()
const ms = (read: (of: KeyNumbers) => number | null) => (of: KeyNumbers) => {
  const value = read(of)
  return value === null ? null : round(value)
}
const numbersOutput = numbers.object({
  up_seconds: numbers.number('Since when it runs.', 3600, of => Math.round(of.upSeconds)),
  requests: numbers.integer('Answered.', 1234),
  failures: numbers.integer('Answered with 500 or more.', 0),
  mean_ms: numbers.optional.number(
    'How long a request takes.',
    4.2,
    ms(of => of.meanMs),
  ),
  p95_ms: numbers.optional.number(
    'What 95 of 100 stay below, estimated.',
    12,
    ms(of => of.p95Ms),
  ),
  memory_bytes: numbers.number('Resident.', 234_567_890),
  cpu_seconds: numbers.number('Used.', 12.5, of => round(of.cpuSeconds)),
  event_loop_lag_ms: numbers.number('99 of 100 stay below.', 1.5, of => round(of.eventLoopLagMs)),
  requests_not_logged: numbers.integer('Requests of ERPs that the log had no room for.', 0),
})

const out = outputOf<Health & { numbers: Numbers }>()
export const healthOutput = out.object({
  version: out.text('Of Bursar.', '0.1.0'),
  mode: out.oneOf(['sandbox', 'live'], 'Play money or real money.'),
  role: out.oneOf(['all', 'api', 'worker'], 'What this process does.'),
  now: out.moment('By the clock, UTC.', WHEN),
  database: out.one('PostgreSQL.', databaseOutput),
  migrations: out.one('Of the schema.', migrationsOutput),
  workers: out.one('Who does due work.', workersOutput),
  backup: out.optional.one('Scheduled backups of the embedded database, if any.', backupOutput),
  disk: out.optional.one('Of the data folder; absent where there is none.', diskOutput),
  numbers: out.one('Of this process since its start.', numbersOutput),
})

const provider = outputOf<Setup['payments'][number]>()
const providerOutput = provider.object({
  name: provider.text('Its name.', 'bank'),
  is_current: provider.flag('Whether new ones go to it.', true),
  does: provider.texts('What it is used for.', ['payments', 'mandates']),
  key: provider.optional.oneOf(['test', 'live'], 'Of what kind its key is.'),
})

const account = outputOf<Setup['accounts'][number]>()
const accountOutput = account.object({
  id: account.text('Its id.', 'pa_01k9zq4m0ve8sbn6yt2hw3c5da'),
  institute: account.text('Whose it is.', 'demo-school'),
  title: account.text('What people call it.', 'Main account'),
  provider: account.text('Where it is.', EXAMPLE.name),
  state: account.oneOf(['test', 'live', 'paused'], 'The kind of its key, or that it is paused.', stateOf),
  check_problem: account.optional.text(
    'What was wrong when it was last checked.',
    'The key is not accepted.',
  ),
  heard_at: account.optional.moment('When a callback last came, UTC.', '2026-11-15T04:32:10.000Z'),
})

const report = outputOf<Setup['unmatched'][number]>()
const reportOutput = report.object({
  id: report.text('Its number.', '42'),
  account_id: report.text('Through which account of the installation.', EXAMPLE.name),
  provider_ref: report.text("The provider's name for it.", 'pay_NNN'),
  utr: report.text('The pay-out it was in; empty: a callback.', 'UTR0001'),
  problem: report.text('Why it could not be matched.', 'payment unknown here'),
  reported: report.amount('As reported, in rupees.', 1250.5, one => one.reportedPaise),
  noticed_at: report.moment('When it was noticed, UTC.', '2026-11-15T04:32:10.000Z'),
})

const channel = outputOf<Setup['channels'][number]>()
const channelOutput = channel.object({
  channel: channel.oneOf(CHANNELS, 'How people are reached.'),
  by: channel.optional.text('Through what; absent: nothing is set up.', 'smtp.example.in'),
})

const setup = outputOf<Setup>()
export const setupOutput = setup.object({
  mode: setup.oneOf(['sandbox', 'live'], 'Play money or real money.'),
  payments: setup.list('Money moves through these.', providerOutput),
  accounts: setup.list('Accounts of institutes.', accountOutput),
  unmatched: setup.list('Reports that belong to no institute, the newest 200.', reportOutput),
  lenders: setup.list('Loans come from these.', providerOutput),
  channels: setup.list('Messages leave through these.', channelOutput),
})
