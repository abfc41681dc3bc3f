import { countDeadLetters, readDueWork } from '../../console/operator/jobs.service.ts'
import { listInstitutes } from '../../institutes/institutes.service.ts'
import { readBooksCheck } from '../../payments/reconcile/nightly.service.ts'
import { countUnmatchedReports } from '../../payments/settlements/unmatched.service.ts'
import { newestBackup } from '../../platform/backup/newest.ts'
import { isBackupLate } from '../../platform/backup/schedule.rules.ts'
import { OffsetClock, realClock, type Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { compareSchema } from '../../platform/db/migrate.ts'
import { readDisk } from '../../platform/disk.ts'
import { readWaiting } from '../../platform/retention/retention.ts'
import { listAllAccounts } from '../../providers/accounts/accounts.service.ts'
import { loadOffset } from '../../sandbox/clock/clock.service.ts'
import type { Config } from '../config.ts'
import { readVersion } from '../installation.ts'
import { findVault } from '../data-dir.ts'
import { partitionedLogs } from '../retention.ts'
import { parseProcessName, type AccountState, type Process, type Status } from './status.rules.ts'
import { readProcesses, readServerState, readStandbys } from './status.store.ts'

/** What keeps anything from being read, in words; the database itself answered. */
export class UnreadableDatabase extends Error {
  override readonly name = 'UnreadableDatabase'
}

const UNUSED = 'No Bursar has used this database yet: start one.'

/** Whether to open the database would make it: its tables, and for good a sandbox or a live one. */
export async function refuseUnused(db: Database): Promise<void> {
  if ((await readServerState(db)).mode === null) throw new UnreadableDatabase(UNUSED)
}

/** Reads and changes nothing: neither is the database migrated, nor a server started. */
export async function readStatus(
  config: Config,
  { db, server }: { db: Database; server: string },
): Promise<Status> {
  const { mode, ...state } = await readServerState(db)
  if (mode === null) throw new UnreadableDatabase(UNUSED)
  if (mode !== config.mode)
    throw new UnreadableDatabase(
      `This database is ${mode === 'live' ? 'live' : 'a sandbox'}: set BURSAR_MODE=${mode}, or name another one.`,
    )
  const ctx = { db, clock: await clockOf(config, db) }
  const [schema, standbys, processes, due, givenUp, accounts, unmatchedReports, books, archive] =
    await Promise.all([
      compareSchema(db),
      readStandbys(db),
      listProcesses(db),
      readDueWork(ctx),
      countDeadLetters(ctx),
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
