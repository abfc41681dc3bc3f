import type { Command } from 'commander'
import { readConfig, type Config } from '../app/config.ts'
import { connectTo, NoPrimary } from '../app/open-database.ts'
import { describeAge, findProblems, type Status } from '../app/status/status.rules.ts'
import { readStatus, UnreadableDatabase } from '../app/status/status.service.ts'
import { isUnavailable } from '../platform/errors.ts'
import { describeFailure } from './failures.ts'
import { addExamples } from './terminal/help.ts'
import { formatBytes, formatTable, formatTime, show } from './terminal/output.ts'
import { largestOf } from '../platform/lists.ts'

export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description(
      'how it is now: database, processes, due work, accounts, books; exits with 1 if somebody has to act',
    )
    .action(runStatus)
  addExamples(status, ['bursar status', 'bursar status --json'])
}

async function runStatus(): Promise<void> {
  const config = readConfig(process.env)
  try {
    const status = await look(config)
    const problems = findProblems(status)
    show({ ...toJson(status), problems }, describe(status, problems))
    if (problems.length > 0) process.exitCode = 1
  } catch (error) {
    const isExpected =
      error instanceof UnreadableDatabase || error instanceof NoPrimary || isUnavailable(error)
    if (!isExpected) throw error
    const problem = describeFailure(error)
    show({ mode: config.mode, database: null, problems: [problem] }, problem)
    process.exitCode = 1
  }
}

async function look(config: Config): Promise<Status> {
  const connected = await connectTo(config)
  if (connected === null)
    throw new UnreadableDatabase(
      `Bursar is not running, and neither is its embedded PostgreSQL in ${config.dataDir}. Start it; if you use a server of your own, set DATABASE_URL.`,
    )
  try {
    return await readStatus(config, connected)
  } finally {
    await connected.db.close()
  }
}

function describe(status: Status, problems: readonly string[]): string {
  const { version, mode, at, database, processes, due, givenUp, accounts, books, backup, disk, archive } =
    status
  const { server, connections, maxConnections, bytes, schema, standbys } = database
  const lines = [
    ['Bursar', `${version}, ${mode}, ${formatTime(at)}`],
    [
      'Database',
      `${server}, PostgreSQL ${database.version}, ${formatBytes(bytes)}, ${connections} of ${maxConnections} connections, schema ${schema === 'fits' ? 'as this version wants it' : schema}`,
    ],
    ...standbys.map(one => ['', describeStandby(one)]),
    ['Given up', `${givenUp.delivery} webhooks, ${givenUp.message} messages, ${givenUp.import} files`],
    ['Books', describeBooks(books)],
    [
      'Backup',
      backup === null ? 'not made by Bursar' : (backup.lastAt && formatTime(backup.lastAt)) || 'none yet',
    ],
    ...(archive.months.length === 0 ? [] : [['Archive', describeArchive(archive)]]),
    ...(disk === null
      ? []
      : [['Disk', `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} free`]]),
  ]
  const width = largestOf(lines.map(([name = '']) => name.length))
  const rows = processes.map(one => [
    one.role,
    one.version,
    one.machine,
    String(one.pid),
    formatTime(one.since),
    String(one.connections),
  ])
  const work = due.map(({ kind, due: count, lateMs, nextAt }) => [
    kind,
    String(count),
    count === 0 ? '' : describeAge(lateMs),
    nextAt === null ? '' : formatTime(nextAt),
  ])
  const ways = accounts.map(one => [
    one.id,
    one.institute,
    one.provider,
    one.isPaused ? 'paused' : (one.problem ?? 'as last checked'),
    one.heardAt === null ? 'never' : formatTime(one.heardAt),
  ])
  return [
    lines.map(([name = '', text = '']) => `${name.padEnd(width)}  ${text}`).join('\n'),
    status.hasPooler
      ? 'Processes cannot be told apart behind a pooler.'
      : rows.length === 0
        ? 'No process of Bursar is connected.'
        : formatTable(['ROLE', 'VERSION', 'MACHINE', 'PID', 'SINCE', 'CONNECTIONS'], rows),
    formatTable(['WORK', 'DUE', 'OLDEST', 'NEXT'], work),
    ...(ways.length === 0
      ? []
      : [formatTable(['ACCOUNT', 'INSTITUTE', 'PROVIDER', 'STATE', 'CALLBACK'], ways)]),
    problems.length === 0
      ? 'Nothing needs a person.'
      : [`${problems.length} to look at:`, ...problems.map(problem => `  ${problem}`)].join('\n'),
  ].join('\n\n')
}

function describeStandby({
  name,
  isSynchronous,
  lagSeconds,
  lagBytes,
}: Status['database']['standbys'][number]): string {
  const kind = isSynchronous ? 'synchronous' : 'asynchronous'
  if (lagSeconds === null || lagBytes === null)
    return `standby ${name}: its lag is not shown to our user, \`grant pg_monitor to …\` shows it`
  return `standby ${name}, ${kind}, ${lagSeconds.toFixed(1)} s and ${formatBytes(lagBytes)} behind`
}

function describeBooks(books: Status['books']): string {
  if (books === null) return 'not checked yet; they are, every night'
  const found = books.differences === 0 ? 'nothing differs' : `${books.differences} differences`
  return `${formatTime(new Date(books.at))}, ${books.institutes} institutes, ${found}`
}

function describeArchive({ months, isUnderWay }: Status['archive']): string {
  return `${months.length} to be written${isUnderWay ? ', under way' : ''}`
}

/** Names fields like the API, so that scripts can share their code. */
function toJson(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).map(([name, field]) => [snakeOf(name), field]))
      : one,
  ) as object
}

function snakeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
