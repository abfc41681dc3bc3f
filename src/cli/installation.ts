import type { Command } from 'commander'
import { type Config, readConfig } from '../app/config.ts'
import { describeDefault, ALL_SETTINGS, findMisspelt } from '../app/config/settings.ts'
import { type HealthChange, readHealthHistory } from '../app/health-history.ts'
import { examine } from '../app/doctor/doctor.service.ts'
import { connectTo, NoPrimary } from '../app/open-database.ts'
import { smsTemplates, unknownNames } from '../app/context.ts'
import { describeAge, findProblems, type Status } from '../app/status/status.rules.ts'
import { readStatus, refuseUnused, UnreadableDatabase } from '../app/status/status.service.ts'
import {
  addExamples,
  InputError,
  formatBytes,
  formatTable,
  formatTime,
  show,
  writeError,
} from './terminal.ts'
import { refuseToMake, describeFailure, withContext } from './with-database.ts'
import { isUnavailable } from '../platform/errors.ts'
import { largestOf } from '../platform/lists.ts'

export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description(
      'how it is now: database, processes, due work, accounts, books; exits with 1 if somebody has to act',
    )
    .option('--history', 'also what was in trouble before, and until when')
    .action(runStatus)
  addExamples(status, ['bursar status', 'bursar status --history', 'bursar status --json'])
}

async function runStatus({ history: withHistory = false }: { history?: boolean }): Promise<void> {
  const config = readConfig(process.env)
  try {
    const { status, history } = await look(config)
    const problems = findProblems(status)
    show(
      { ...toJson(status), problems, ...(withHistory ? { history } : {}) },
      [describe(status, problems), ...(withHistory ? [describeHistory(history)] : [])].join('\n\n'),
    )
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

async function look(config: Config): Promise<{ status: Status; history: HealthChange[] }> {
  const connected = await connectTo(config)
  if (connected === null)
    throw new UnreadableDatabase(
      `Bursar is not running, and neither is its embedded PostgreSQL in ${config.dataDir}. Start it; if you use a server of your own, set DATABASE_URL.`,
    )
  try {
    return {
      status: await readStatus(config, connected),
      history: await readHealthHistory(connected.db),
    }
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

function describeHistory(history: readonly HealthChange[]): string {
  if (history.length === 0) return 'Nothing was in trouble since this is kept.'
  const rows = history.map(one => [formatTime(new Date(one.at)), one.process, one.what, one.state])
  return formatTable(['AT', 'PROCESS', 'WHAT', 'STATE'], rows)
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
export function toJson(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).map(([name, field]) => [snakeOf(name), field]))
      : one,
  ) as object
}

function snakeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

export function addDoctorCommand(program: Command): void {
  const doctor = program
    .command('doctor')
    .description('look at everything that an installation needs, and say what to do')
    .action(runDoctor)
  addExamples(doctor, ['bursar doctor', 'bursar doctor --json'])
}

/** Opening the database would migrate an empty one, and would wait for a promotion where no server takes writes. */
async function refuseUnready(config: Config): Promise<void> {
  refuseToMake(config)
  const connected = await connectTo(config)
  if (connected === null) return
  try {
    await refuseUnused(connected.db)
  } finally {
    await connected.db.close()
  }
}

async function runDoctor(): Promise<void> {
  const config = readConfig(process.env)
  await refuseUnready(config)
  await withContext(async ctx => {
    const findings = await examine(config, ctx)
    const problems = findings.filter(({ verdict }) => verdict === 'problem').length
    const rows = findings.map(({ subject, verdict, text }) => [verdict, subject, text])
    const end = problems === 0 ? 'Nothing stands in the way.' : `${problems} to mend.`
    show(
      { mode: config.mode, problems, findings },
      `${formatTable(['', 'SUBJECT', 'FOUND'], rows)}\n\n${end}`,
    )
    if (problems > 0) process.exitCode = 1
  })
}

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('show every setting with its value, and what is wrong with them')
    .action(runConfig)
  addExamples(config, ['bursar config', 'BURSAR_MODE=live bursar config'])
}

function runConfig(): void {
  const settings = Object.entries(ALL_SETTINGS).map(([name, setting]) => {
    const value = process.env[name]?.trim() ?? ''
    return {
      name,
      description: setting.describes,
      value: value !== '' && setting.isSecret === true ? 'set' : value,
      default: describeDefault(setting),
    }
  })
  const rows = settings.map(({ name, description, value, default: standard }) => [
    name,
    value || (standard === '' ? 'not set' : `${standard} (default)`),
    description,
  ])
  const data = settings.map(setting =>
    Object.fromEntries(Object.entries(setting).filter(([, value]) => value !== '')),
  )
  show(data, formatTable(['SETTING', 'VALUE', 'DESCRIPTION'], rows))
  for (const warning of findMisspelt(process.env)) writeError(warning)
  // Throws, after all is shown, when Bursar would not start with these.
  readConfig(process.env)
}

export function addMigrateCommand(program: Command): void {
  const migrate = program
    .command('migrate')
    .description("bring the database to this version's state; a start of Bursar does the same")
    .action(runMigrate)
  addExamples(migrate, [
    'bursar migrate',
    'DATABASE_URL=postgres://bursar@db.example.in/bursar bursar migrate',
  ])
}

async function runMigrate(): Promise<void> {
  await withContext(async (_ctx, { applied, version }) => {
    const text =
      applied.length === 0
        ? `Nothing to do: the database is at version ${version}.`
        : [...applied.map(name => `Applied ${name}`), `The database is at version ${version}.`].join('\n')
    show({ applied, version }, text)
  })
}

export function addSmsCommands(program: Command): void {
  const sms = program.command('sms').description('texts to phones')
  const templates = sms
    .command('templates')
    .description('every text as it is to be registered with DLT, and the template that it is sent under')
    .action(runTemplates)
  addExamples(templates, ['bursar sms templates', 'bursar sms templates --json'])
}

function runTemplates(): void {
  const { sms } = readConfig(process.env)
  const templates = smsTemplates().map(({ name, text }) => {
    const id = sms?.templateIds[name] ?? sms?.templateId
    return { name, ...(id === undefined ? {} : { template_id: id }), text }
  })
  const rows = templates.map(({ name, template_id = 'none', text }) => [name, template_id, text])
  show(templates, formatTable(['NAME', 'TEMPLATE', 'TEXT'], rows))
  const unknown = unknownNames(sms?.templateIds ?? {})
  if (unknown.length > 0)
    throw new InputError(`SMS_TEMPLATE_IDS names no text of ours: ${unknown.join(', ')}.`)
}
