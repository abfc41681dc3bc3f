import type { DueWork } from '../../console/operator/health.service.ts'
import type { LetterKind } from '../../console/operator/operator.rules.ts'
import type { NightlyCheck } from '../../payments/reconcile/reconcile.service.ts'
import type { ServerState, Standby } from './status.store.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { RetentionBacklog } from '../../platform/retention/months.rules.ts'

export type Process = {
  role: string
  version: string
  machine: string
  pid: number
  connections: number
  since: Date
  silentSeconds: number
}

export type AccountState = {
  id: string
  institute: string
  provider: string
  isPaused: boolean
  problem: string | null
  heardAt: Date | null
}

type DatabaseState = Omit<ServerState, 'mode'> & {
  server: string
  schema: 'fits' | 'older' | 'newer'
  standbys: Standby[]
  /** Servers that DATABASE_URL names besides the one that takes writes. */
  standbysExpected: number
}

/** Null: could not be read, or, of backup and disk, not ours to look after. */
export type Status = {
  version: string
  mode: 'sandbox' | 'live'
  at: Date
  database: DatabaseState
  /** Processes behind a pooler cannot be told apart: it lends its connections to all of them. */
  hasPooler: boolean
  processes: Process[]
  due: DueWork[]
  givenUp: Record<LetterKind, number>
  /** Messages among these that were written within the last two days. */
  lostMessages: number
  accounts: AccountState[]
  unmatchedReports: number
  books: NightlyCheck | null
  backup: { lastAt: Date | null; isLate: boolean } | null
  disk: { freeBytes: number; totalBytes: number; isAlmostFull: boolean } | null
  archive: RetentionBacklog
}

/** `bursar/api/0.1.0/host/42`, as a process names its connections. */
export function parseProcessName(name: string): Pick<Process, 'role' | 'version' | 'machine' | 'pid'> | null {
  const [, role, version, machine, pid] = /^bursar\/(\w+)\/([^/]+)\/([^/]*)\/(\d+)$/.exec(name) ?? []
  if (role === undefined || version === undefined || machine === undefined) return null
  return { role, version, machine, pid: Number(pid) }
}

const SILENT_SECONDS = 15
const LATE_MS = 5 * 60_000
const LATE_IMPORT_MS = 60 * 60_000
const MOST_LAG_SECONDS = 30
const MOST_LAG_BYTES = 256 * 1024 ** 2
const BOOKS_OLD_MS = 36 * 3_600_000
const MOST_CONNECTIONS = 0.9

/** What somebody has to look at, a sentence each, and what to do. The thresholds are those of the alerts. */
export function findProblems(status: Status): string[] {
  return [
    ...ofDatabase(status.database),
    ...(status.hasPooler ? [] : ofProcesses(status)),
    ...ofWork(status.due),
    ...ofMoney(status),
    ...ofMessages(status),
    ...ofDisks(status),
    ...ofArchive(status.archive),
  ]
}

function ofDatabase(database: DatabaseState): string[] {
  const { schema, isStandby, connections, maxConnections, standbys, standbysExpected } = database
  const problems: string[] = []
  if (isStandby)
    problems.push('The database is a standby, which takes no writes: name the primary in DATABASE_URL.')
  if (schema === 'older')
    problems.push('The database is not migrated to this version: start Bursar, or `bursar migrate`.')
  if (schema === 'newer')
    problems.push('A newer Bursar has migrated the database: this version has to be replaced.')
  if (connections > maxConnections * MOST_CONNECTIONS)
    problems.push(
      `${connections} of ${maxConnections} database connections are in use: raise max_connections or lower DB_POOL_SIZE.`,
    )
  if (database.waitingForStandby > 0 && !standbys.some(({ isSynchronous }) => isSynchronous))
    problems.push(
      `${database.waitingForStandby} writes wait for a synchronous standby that does not answer: start it, or take it out of synchronous_standby_names.`,
    )
  if (standbys.length < standbysExpected)
    problems.push(
      `DATABASE_URL names ${standbysExpected + 1} servers, and ${standbys.length} of the others follow this one: see that no second one takes writes.`,
    )
  for (const { name, lagBytes, lagSeconds } of standbys)
    if ((lagSeconds ?? 0) > MOST_LAG_SECONDS || (lagBytes ?? 0) > MOST_LAG_BYTES)
      problems.push(`The standby ${name} is behind: look at its network and disk.`)
  return problems
}

function ofProcesses({ processes }: Status): string[] {
  const does = (role: string): boolean => processes.some(one => one.role === role || one.role === 'all')
  const silent = processes.filter(({ silentSeconds }) => silentSeconds > SILENT_SECONDS)
  return [
    ...(does('api') ? [] : ['No process answers requests: start Bursar.']),
    ...(does('worker') ? [] : ['No process does due work: start one with BURSAR_ROLE all or worker.']),
    ...silent.map(
      ({ pid, machine, silentSeconds }) =>
        `Process ${pid} on ${machine} has said nothing for ${Math.round(silentSeconds)} s: restart it.`,
    ),
  ]
}

function ofWork(due: readonly DueWork[]): string[] {
  return due
    .filter(({ kind, lateMs }) => lateMs > (kind === 'imports_run' ? LATE_IMPORT_MS : LATE_MS))
    .map(
      ({ kind, lateMs }) =>
        `${kind} is ${describeAge(lateMs)} late: see the log for failures, or start another worker.`,
    )
}

function ofMoney({ accounts, unmatchedReports, books, at }: Status): string[] {
  const problems = accounts
    .filter(({ isPaused, problem }) => !isPaused && problem !== null)
    .map(({ id, institute, problem }) => `Account ${id} of ${institute}: ${problem}`)
  if (unmatchedReports > 0)
    problems.push(`${unmatchedReports} reports of providers belong to no institute: see Operator, Providers.`)
  if (books === null) return problems
  if (books.differences > 0)
    problems.push(
      `${books.differences} differences in the books of ${books.differing.join(', ')}: \`bursar reconcile\` lists them.`,
    )
  if (books.unchecked.length > 0)
    problems.push(`The books of ${books.unchecked.join(', ')} could not be checked: see the log.`)
  if (at.getTime() - Date.parse(books.at) > BOOKS_OLD_MS)
    problems.push('The books were not checked last night: see the log.')
  return problems
}

/** One that was given up longer ago has been seen, or is in the mail that nobody reads. */
function ofMessages({ lostMessages }: Status): string[] {
  if (lostMessages === 0) return []
  const what = lostMessages === 1 ? 'message was' : 'messages were'
  return [`${lostMessages} ${what} given up within two days: Operator, Jobs says which and why.`]
}

function ofDisks({ backup, disk }: Status): string[] {
  return [
    ...(backup?.isLate === true ? ['The daily backup is late: see the log for why.'] : []),
    ...(disk?.isAlmostFull === true ? ['The disk of DATA_DIR is almost full.'] : []),
  ]
}

function ofArchive(archive: RetentionBacklog): string[] {
  const stuck = describeStuck(archive)
  return stuck === null ? [] : [stuck]
}

/** No process is at it, so the last one did not get to the end: the disk is full, or it was killed. */
export function describeStuck({ months, isUnderWay }: RetentionBacklog): string | null {
  const [first] = months
  if (first === undefined || isUnderWay) return null
  const name = `${first.table} ${first.month.replace('_', '-')}`
  const others = months.length === 1 ? '' : ` and ${months.length - 1} more`
  return `${name}${others} left the logs and could not be archived: \`bursar archive run\`, where ARCHIVE_DIR is set, says why.`
}

const UNITS = [
  [DAY_MS, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const

/** 3 min, 2 h: one unit is enough to know how bad it is. */
export function describeAge(ms: number): string {
  for (const [length, unit] of UNITS) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`
  return `${Math.round(ms / 1_000)} s`
}
