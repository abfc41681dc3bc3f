import { EXAMPLE } from '../../providers/catalogue.ts'
import type { KeyNumbers } from '../../http/metrics.ts'
import { stateOf } from '../../providers/accounts/accounts.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { CHANNELS } from '../../messages/messages.rules.ts'
import type { BackupState } from '../../platform/backup/schedule.ts'
import type { Health, Setup } from './health.service.ts'
import { failureOutput } from './jobs.output.ts'

/** The installation: how it is, and what is set up for it. */
const WHEN = '2026-11-15T04:32:10.000Z'

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

function round(value: number): number {
  return Math.round(value * 10) / 10
}

export type HealthAnswer = Shown<typeof healthOutput>
export type ProvidersAnswer = Shown<typeof setupOutput>
