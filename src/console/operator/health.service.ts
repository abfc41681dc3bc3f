import * as store from './jobs.store.ts'
import { listInstitutes, createInstitute, type NewInstitute } from '../../institutes/institutes.service.ts'
import { listUnmatchedReports, type UnmatchedReport } from '../../payments/settlements/settlements.service.ts'
import type { ProviderAccount } from '../../providers/accounts/accounts.rules.ts'
import { listAllAccounts } from '../../providers/accounts/accounts.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { listLenders } from '../../loans/lenders/lenders.service.ts'
import { CHANNELS, type Channel } from '../../messages/messages.rules.ts'
import type { JobRunner, JobStatus } from '../../platform/jobs/job-runner.ts'
import type { BackupSchedule, BackupState } from '../../platform/backup/schedule.ts'
import type { Context } from '../../platform/context.ts'
import { readDisk, type Disk } from '../../platform/retention/disk.ts'
import { readMigrationState, type MigrationState } from '../../platform/db/migrate.ts'
import { isBehind, type LetterKind } from './operator.rules.ts'
import { smallestOf } from '../../platform/lists.ts'
import { isInstituteCode, type Institute } from '../../institutes/institutes.rules.ts'
import { badField } from '../../platform/errors.ts'
import type { Command } from '../../platform/idempotency.ts'
import { DAY_MS } from '../../platform/calendar.ts'

/** What an operator sees of the process and what is set up for it: names, never secrets. */
export type Installation = {
  version: string
  role: 'all' | 'api' | 'worker'
  dataDir: string
  /** Ours, under the data folder; otherwise it was there before us. */
  hasOwnDatabase: boolean
  /** What sends the messages of each channel; null: nothing is set up. */
  channels: Record<Channel, string | null>
  /** Says whether the key at each real provider is a test or a live key. */
  providerKeys: Readonly<Record<string, 'test' | 'live' | null>>
  jobs: JobRunner
  /** Null when none are scheduled. */
  backups: Pick<BackupSchedule, 'state'> | null
}

/** Both moments are real time. */
type WorkerState = { lastRoundAt: Date | null; lastFailure: JobStatus['lastFailure'] }

export type Health = {
  version: string
  mode: Context['mode']
  role: Installation['role']
  now: Date
  database: store.DatabaseFigures & {
    isOwn: boolean
    answeredInMs: number
    connections: { total: number; idle: number; waiting: number }
  }
  migrations: MigrationState
  workers: WorkerState & { runsHere: boolean; isBehind: boolean }
  /** Null when none are scheduled. */
  backup: BackupState | null
  disk: Disk | null
}

export async function readHealth({ db, clock, mode }: Context, installation: Installation): Promise<Health> {
  const started = performance.now()
  const database = await store.readDatabaseFigures(db)
  const answeredInMs = performance.now() - started
  const [migrations, jobs, disk] = await Promise.all([
    readMigrationState(db),
    store.readJobs(db, clock.now()),
    // Bursar may have no such folder when DATABASE_URL names the database.
    readDisk(installation.dataDir).catch(() => null),
  ])
  const { version, role, hasOwnDatabase, backups } = installation
  const runsHere = installation.jobs.isStarted
  const worker = runsHere ? workerState(installation.jobs.statuses) : { lastRoundAt: null, lastFailure: null }
  return {
    version,
    mode,
    role,
    now: clock.now(),
    database: {
      ...database,
      isOwn: hasOwnDatabase,
      answeredInMs,
      connections: db.load,
    },
    migrations,
    workers: { ...worker, runsHere, isBehind: isBehind(jobs) },
    backup: backups?.state ?? null,
    disk,
  }
}

/** A round is over when every job has had its turn, so the one that waits longest dates it. */
function workerState(statuses: readonly JobStatus[]): WorkerState {
  const runs = statuses
    .filter(({ kind }) => kind === 'work')
    .map(({ lastRunAt }) => lastRunAt?.getTime() ?? 0)
  const oldest = smallestOf(runs)
  const [lastFailure = null] = statuses
    .flatMap(status => status.lastFailure ?? [])
    .toSorted((one, other) => other.at.getTime() - one.at.getTime())
  return { lastRoundAt: oldest > 0 ? new Date(oldest) : null, lastFailure }
}

type SetUpProvider = { name: string; isCurrent: boolean; does: string[]; key: 'test' | 'live' | null }

/** Shows through what money moves, where loans come from and how people are reached, and never a secret. */
export type Setup = {
  mode: Context['mode']
  payments: SetUpProvider[]
  /** Accounts that institutes have at the same providers or others. */
  accounts: (ProviderAccount & { institute: string })[]
  /** What providers reported that belongs to no institute. */
  unmatched: UnmatchedReport[]
  lenders: SetUpProvider[]
  channels: { channel: Channel; by: string | null }[]
}

export async function describeSetup(
  ctx: LoanContext,
  { channels, providerKeys }: Installation,
): Promise<Setup> {
  // An account that only takes lenders' transfers is always there and needs no set-up.
  const codes = new Map((await listInstitutes(ctx)).map(({ id, code }) => [id, code]))
  const accounts = await listAllAccounts(ctx)
  const payers = [...ctx.accounts.installation].filter(([, { accepts }]) => accepts.methods.length > 0)
  return {
    mode: ctx.mode,
    payments: payers.map(([name, { mandates, transfers }]) => ({
      name,
      isCurrent: name === ctx.accounts.preferred('payments')?.id,
      does: [
        'payments',
        ...(mandates === undefined ? [] : ['mandates']),
        ...(transfers === undefined ? [] : ['transfers of lenders']),
      ],
      key: providerKeys[name] ?? null,
    })),
    accounts: accounts.map(one => ({ ...one, institute: codes.get(one.instituteId) ?? '' })),
    unmatched: await listUnmatchedReports(ctx),
    lenders: [
      ...(ctx.sandboxLender === null ? [] : [ctx.sandboxLender.title]).map(name =>
        describeLender(name, true),
      ),
      ...(await listLenders(ctx)).map(({ title, pausedAt }) => describeLender(title, pausedAt === null)),
    ],
    channels: CHANNELS.map(channel => ({ channel, by: channels[channel] })),
  }
}

function describeLender(name: string, isCurrent: boolean): SetUpProvider {
  return { name, isCurrent, does: ['loans'], key: null }
}

export async function openInstitute(
  ctx: Context,
  command: Command<Institute>,
  input: NewInstitute,
): Promise<Institute> {
  if (!isInstituteCode(input.code))
    throw badField('code', 'can have 1 to 63 lower-case letters, digits and hyphens, not a hyphen first')
  return createInstitute(ctx, input, command)
}

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
