import type { Config } from '../config.ts'
import { findVault, readVersion } from '../installation.ts'
import { partitionedLogs } from '../retention.ts'
import { type AccountState, parseProcessName, type Process, type Status } from './status.rules.ts'
import {
  readProcesses,
  readServerState,
  readStandbys,
  type ServerState,
  type Standby,
} from './status.store.ts'
import {
  countDeadLetters,
  countLostMessages,
  type DueWork,
  readDueWork,
} from '../../console/operator/health.service.ts'
import type { SharedFigure } from '../../http/metrics.ts'
import { listInstitutes } from '../../institutes/institutes.service.ts'
import { type NightlyCheck, readBooksCheck } from '../../payments/reconcile/reconcile.service.ts'
import { countUnmatchedReports } from '../../payments/settlements/settlements.service.ts'
import { newestBackup } from '../../platform/backup/schedule.ts'
import { isBackupLate } from '../../platform/backup/schedule.rules.ts'
import { type Clock, OffsetClock, realClock } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { compareSchema } from '../../platform/db/migrate.ts'
import { readDisk } from '../../platform/retention/disk.ts'
import { readWaiting } from '../../platform/retention/retention.ts'
import { listAllAccounts } from '../../providers/accounts/accounts.service.ts'
import { loadOffset } from '../../sandbox/clock/clock.service.ts'

/** What keeps anything from being read, in words; the database itself answered. */
export class UnreadableDatabase extends Error {
  override readonly name = 'UnreadableDatabase'
}

const UNUSED = 'No Bursar has used this database yet: start one.'

/** Refuses a database without tables: opening it would create them, and make it a sandbox or live for good. */
export async function refuseUnused(db: Database): Promise<void> {
  if ((await readServerState(db)).mode === null) throw new UnreadableDatabase(UNUSED)
}

/** Refuses a database that no Bursar of this mode has used. */
export async function readOwnServer(
  config: Pick<Config, 'mode'>,
  db: Database,
): Promise<Omit<ServerState, 'mode'>> {
  const { mode, ...state } = await readServerState(db)
  if (mode === null) throw new UnreadableDatabase(UNUSED)
  if (mode === config.mode) return state
  throw new UnreadableDatabase(
    `This database is ${mode === 'live' ? 'live' : 'a sandbox'}: set BURSAR_MODE=${mode}, or name another one.`,
  )
}

/** Reads and changes nothing: neither is the database migrated, nor a server started. */
export async function readStatus(
  config: Config,
  { db, server }: { db: Database; server: string },
): Promise<Status> {
  const state = await readOwnServer(config, db)
  const ctx = { db, clock: await clockOf(config, db) }
  const [
    schema,
    standbys,
    processes,
    due,
    givenUp,
    lostMessages,
    accounts,
    unmatchedReports,
    books,
    archive,
  ] = await Promise.all([
    compareSchema(db),
    readStandbys(db),
    listProcesses(db),
    readDueWork(ctx),
    countDeadLetters(ctx),
    countLostMessages(ctx),
    listAccounts(db),
    countUnmatchedReports(ctx),
    readBooksCheck(db),
    readWaiting(db, partitionedLogs(config.retention)),
  ])
  return {
    version: readVersion(),
    mode: config.mode,
    at: ctx.clock.now(),
    database: {
      ...state,
      server,
      schema,
      standbys,
      standbysExpected: db.serverCount - 1,
    },
    hasPooler: config.poolerUrl !== null,
    processes,
    due,
    givenUp,
    lostMessages,
    accounts,
    unmatchedReports,
    books,
    backup: await readBackup(config),
    disk: config.databaseUrl === null ? await readDisk(config.dataDir) : null,
    archive,
  }
}

async function clockOf({ mode }: Config, db: Database): Promise<Clock> {
  if (mode === 'live') return realClock
  const clock = new OffsetClock()
  await loadOffset({ db, clock })
  return clock
}

async function listProcesses(db: Database): Promise<Process[]> {
  const seen = await readProcesses(db)
  return seen.flatMap(({ name, ...process }) => {
    const said = parseProcessName(name)
    return said === null ? [] : [{ ...said, ...process }]
  })
}

async function listAccounts(db: Database): Promise<AccountState[]> {
  const [accounts, institutes] = await Promise.all([listAllAccounts({ db }), listInstitutes({ db })])
  const codes = new Map(institutes.map(({ id, code }) => [id, code]))
  return accounts.map(({ id, instituteId, provider, pausedAt, checkProblem, heardAt }) => ({
    id,
    institute: codes.get(instituteId) ?? '',
    provider,
    isPaused: pausedAt !== null,
    problem: checkProblem,
    heardAt,
  }))
}

async function readBackup(config: Config): Promise<Status['backup']> {
  const { backup, databaseUrl } = config
  if (backup === null || databaseUrl !== null) return null
  const lastAt = await newestBackup(backup.folder, await findVault(config))
  return { lastAt, isLate: isBackupLate(lastAt, backup.at, new Date()) }
}

/** What /metrics reads from the database when it is asked: it holds for all processes. */
export function sharedFigures(ctx: Pick<Context, 'db' | 'clock'>): SharedFigure[] {
  const { db } = ctx
  // Two figures of one page are read by one statement.
  let reading: Promise<DueWork[]> | null = null
  const dueWork = async (read: (work: DueWork) => number) => {
    reading ??= readDueWork(ctx).finally(() => (reading = null))
    return new Map((await reading).map(work => [work.kind, read(work)] as const))
  }
  const standbys = async (read: (standby: Standby) => number | null) =>
    new Map(
      (await readStandbys(db)).flatMap(standby => {
        const value = read(standby)
        return value === null ? [] : [[standby.name, value] as const]
      }),
    )
  const books = async (read: (check: NightlyCheck) => number) => {
    const check = await readBooksCheck(db)
    return new Map(check === null ? [] : [['', read(check)] as const])
  }
  return [
    {
      name: 'bursar_due_rows',
      help: 'Rows that are due, by what has to be done with them; at most 10000',
      label: 'work',
      read: () => dueWork(({ due }) => due),
    },
    {
      name: 'bursar_due_oldest_seconds',
      help: 'For how long the oldest of them has been due; 0 when nothing is due',
      label: 'work',
      read: () => dueWork(({ lateMs }) => Math.max(0, lateMs / 1_000)),
    },
    {
      name: 'bursar_standby_lag_bytes',
      help: 'What a standby has still to apply; none without standbys, or without the right to see them',
      label: 'standby',
      read: () => standbys(({ lagBytes }) => lagBytes),
    },
    {
      name: 'bursar_standby_lag_seconds',
      help: 'How far a standby is behind',
      label: 'standby',
      read: () => standbys(({ lagSeconds }) => lagSeconds),
    },
    {
      name: 'bursar_standbys',
      help: 'Standbys that follow the server that takes the writes',
      read: async () => new Map([['', (await readStandbys(db)).length]]),
    },
    {
      name: 'bursar_standbys_expected',
      help: 'Servers that DATABASE_URL names besides that one',
      read: () => Promise.resolve(new Map([['', db.serverCount - 1]])),
    },
    {
      name: 'bursar_books_differences',
      help: 'What the last nightly check of the books found to differ',
      read: () => books(({ differences }) => differences),
    },
    {
      name: 'bursar_books_unchecked',
      help: 'Institutes whose books the last nightly check could not read',
      read: () => books(({ unchecked }) => unchecked.length),
    },
    {
      name: 'bursar_books_last_check_timestamp_seconds',
      help: 'When the last nightly check of the books was complete',
      read: () => books(({ at }) => Date.parse(at) / 1_000),
    },
  ]
}
