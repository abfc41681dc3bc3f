import { largestOf } from '../platform/lists.ts'
import { type Command, CommanderError, InvalidArgumentError } from 'commander'
import { countCharacters } from '../http/wire/formats.ts'
import { isInstituteCode, SCOPE_NAMES, type ScopeName } from '../institutes/institutes.rules.ts'
import { isIdShaped } from '../platform/ids.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { ConfigError, readConfig } from '../app/config.ts'
import { openDatabase } from '../app/open-database.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import type { Context } from '../platform/context.ts'
import { writeRefusal } from '../platform/db/errors.ts'
import type { MigrationResult } from '../platform/db/migrate.ts'
import { connectTo } from '../platform/embedded-postgres/paths.ts'
import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { isUnavailable } from '../platform/errors.ts'
import { createLog } from '../platform/log.ts'

/** The one place that writes: answers to stdout, everything else to stderr. */

/** Read from the arguments themselves, so that a command that could not be parsed fails in the asked form too. */
export function wantsJson(): boolean {
  const end = process.argv.indexOf('--')
  return process.argv.slice(2, end < 0 ? undefined : end).includes('--json')
}

/** A line at a time: as text for a person or as JSON for a program. */
export function showLine(data: object, text: string): void {
  writeOut(wantsJson() ? JSON.stringify(data) : text)
}

/** The answer, as data for `--json` and as text for a person. */
export function show(data: object, text: string): void {
  writeOut(wantsJson() ? JSON.stringify(data, null, 2) : text)
}

export function writeOut(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

export function writeError(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`)
}

// A reader such as `head` may leave early; that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})

/** Aligned columns, the same on a terminal and in a pipe. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map(cells => cells.map(makePrintable))
  const widths = headings.map((_, column) => largestOf(lines.map(cells => widthOf(cells[column] ?? ''))))
  return lines
    .map(cells => cells.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '))
    .map(trimEnd)
    .join('\n')
}

const india = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Asia/Kolkata',
  dateStyle: 'short',
  timeStyle: 'medium',
  hourCycle: 'h23',
})

/** 2026-11-15 09:30 IST, which sorts and aligns. */
export function formatTime(moment: Date): string {
  return `${indianTime(moment).slice(0, 'YYYY-MM-DD hh:mm'.length)} IST`
}

/** 09:30:05 IST */
export function formatTimeOfDay(moment: Date): string {
  return `${indianTime(moment).slice('YYYY-MM-DD '.length)} IST`
}

function indianTime(moment: Date): string {
  return india.format(moment).replace(', ', ' ')
}

export function formatBytes(bytes: number): string {
  if (bytes >= 10_000_000_000) return `${(bytes / 1_000_000_000).toFixed(1)} GB`
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

const REDRAW_MS = 200
const LINE_MS = 10_000

/** A line on stderr that is drawn over itself; a new one now and then where stderr is no terminal. */
export function startProgress(
  what: string,
  total?: number,
  format: (done: number) => string = formatBytes,
): { tick(done: number): void; end(): void } {
  if (wantsJson()) return { tick() {}, end() {} }
  const isTerminal = process.stderr.isTTY
  const every = isTerminal ? REDRAW_MS : LINE_MS
  let drawnAt = isTerminal ? 0 : Date.now()
  return {
    tick(done) {
      if (Date.now() - drawnAt < every) return
      drawnAt = Date.now()
      const share = total === undefined ? '' : ` (${Math.floor((done / total) * 100)} %)`
      const line = `${what}: ${format(done)}${share}`
      process.stderr.write(isTerminal ? `\r\u001B[K${line}` : `${line}\n`)
    },
    end() {
      if (isTerminal && drawnAt > 0) process.stderr.write('\r\u001B[K')
      drawnAt = 0
    },
  }
}

/** Codes join the catalogue from requests: a control character in one must not reach the terminal. */
function makePrintable(cell: string): string {
  return cell.replaceAll(/\p{Cc}/gu, '\uFFFD')
}

const graphemes = new Intl.Segmenter()

/** What a reader sees as one character may be several, as in Devanagari. */
function widthOf(text: string): number {
  return Array.from(graphemes.segment(text)).length
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text))
}

function trimEnd(line: string): string {
  return line.trimEnd()
}

/** Something typed, or a state found, that the reader can mend; the message is the whole answer. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

const OK = 0
const FAILED = 1
const TYPED_WRONGLY = 2

/** Writes what went wrong; gives the exit code. */
export function reportFailure(error: unknown, describe: (error: unknown) => string = reasonOf): number {
  // Help and version leave this way as well.
  if (error instanceof CommanderError && error.exitCode === 0) return OK
  const isUsage = error instanceof UsageError
  if (wantsJson()) writeError(JSON.stringify({ error: describe(error) }))
  else if (!isUsage || !error.isHelpShown) writeError(describe(error))
  if (process.env['DEBUG'] === '1' && error instanceof Error && !wantsJson()) writeError(stacksOf(error))
  return isUsage ? TYPED_WRONGLY : FAILED
}

/** An address with several numbers fails with one error for each, and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}

function stacksOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\nCaused by ${stacksOf(error.cause)}` : own
}

/** Typed wrongly: what was wrong, and the command whose help tells it right. */
class UsageError extends Error {
  override readonly name = 'UsageError'
  /** True when the help has been shown already. */
  readonly isHelpShown: boolean

  constructor(message: string, isHelpShown: boolean) {
    super(message)
    this.isHelpShown = isHelpShown
  }
}

export function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['', 'Examples:', ...lines.map(line => `  $ ${line}`)].join('\n'))
}

/** Sets how all commands show help, write and fail; call it when every command is registered. */
export function finishProgram(command: Command): void {
  const path = pathOf(command)
  command
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut,
      writeErr: text => (wantsJson() ? undefined : writeError(text)),
      // Written once, with the rest of what there is to say, by reportFailure.
      outputError() {},
    })
    .exitOverride(error => {
      throw toUsageError(error, path)
    })
  for (const child of command.commands) finishProgram(child)
}

function toUsageError(error: CommanderError, path: string): Error {
  if (error.exitCode === 0) return error
  if (error.code === 'commander.help') return new UsageError(`Say which command: see ${path} --help.`, true)
  const [first = '', ...rest] = error.message
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for argument '(.*)'/, '$1 is not a $2')
    .split('\n')
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, '')
  const hint = rest.map(line => ` ${line.replaceAll(/[()]/g, '')}`).join('')
  return new UsageError(`${sentence}.${hint}\nSee ${path} --help.`, false)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

export function readHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InputError(`"${text}" is not an address: write one that begins with http:// or https://.`)
}

/** What an operator may type, checked before anything is opened. */

const CODE_LIMIT = 64
const NAME_LIMIT = 500
const RATE_LIMIT = 1_000_000

export function readInstituteCode(text: string): string {
  if (isInstituteCode(text)) return text
  throw new InputError(
    `"${text}" cannot be an institute code: use 1 to 63 lower-case letters, digits and hyphens, not a hyphen first.`,
  )
}

export function readBranchCode(text: string): string {
  return readText(text, 'A branch code', CODE_LIMIT)
}

export function readCatalogueCode(text: string): string {
  return readText(text, 'A catalogue code', CODE_LIMIT)
}

export function readLabel(text: string): string {
  return readText(text, 'A label', CODE_LIMIT)
}

export function readName(text: string): string {
  return readText(text, 'A name', NAME_LIMIT)
}

export function readKeyId(text: string): string {
  if (isIdShaped(text)) return text
  throw new InputError(`"${text}" cannot be a key id: \`bursar keys list INSTITUTE\` shows them.`)
}

type NewBranch = { collectorCode: string; name: string }

/** May be given several times. */
export function collectBranch(text: string, before: readonly NewBranch[] = []): NewBranch[] {
  const equals = text.indexOf('=')
  if (equals < 0)
    throw new InputError(`"${text}" is not a branch: write CODE=NAME, such as NORTH="North campus".`)
  const branch = {
    collectorCode: readBranchCode(text.slice(0, equals)),
    name: readName(text.slice(equals + 1)),
  }
  return [...before, branch]
}

/** May be given several times. */
export function collectScope(text: string, before: readonly ScopeName[] = []): ScopeName[] {
  const scope = SCOPE_NAMES.find(name => name === text)
  if (scope === undefined) throw new InvalidArgumentError(`Allowed are ${SCOPE_NAMES.join(', ')}.`)
  return [...before, scope]
}

export function readRate(text: string): number {
  const rate = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (rate >= 1 && rate <= RATE_LIMIT) return rate
  throw new InputError(`"${text}" is not a rate: write a whole number from 1 to ${RATE_LIMIT}.`)
}

/** Reads text like the API, and refuses characters that a terminal would act on. */
function readText(text: string, what: string, limit: number): string {
  const length = text.trim() === '' ? 0 : countCharacters(text)
  if (length < 1 || length > limit) {
    throw new InputError(`${what} must have 1 to ${limit} characters; this one has ${length}.`)
  }
  if (text !== text.trim()) throw new InputError(`${what} must not begin or end with a space: "${text}".`)
  if (/\p{Cc}/u.test(text)) throw new InputError(`${what} must not hold control characters.`)
  return text
}

/** A command tells its outcome by itself; what services log is nobody's to read there. */
export const SILENT = createLog({ level: 'silent', format: 'json', destination: { write() {} } })

/** Opens the configured database for one command and leaves the embedded server as it was found. */
export async function withContext(
  work: (ctx: Context, migration: MigrationResult) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env)
  const isNew = config.databaseUrl === null && !existsSync(join(config.dataDir, CLUSTER))
  const holds: (() => Promise<void>)[] = []
  try {
    const { ctx, migration } = await openDatabase(config, {
      // Held from here on, because the rest of the opening may fail and would leave a server behind.
      onEmbedded: async embedded => void holds.push(await lockServer(embedded)),
    })
    // Otherwise a forgotten DATA_DIR answers with the keys and institutes of another installation.
    if (isNew)
      writeError(
        `${config.dataDir} had no database, so a new one was made there. If you meant another, set DATA_DIR or DATABASE_URL.`,
      )
    try {
      await work(ctx, migration)
    } finally {
      await ctx.db.close()
    }
  } finally {
    for (const letGo of holds) await letGo()
  }
}

/**
 * Commands share the embedded server with a Bursar and with each other, and the one that started it stops it.
 * So that it is never stopped under another command, each holds a shared lock for as long as it works, and
 * only who gets the lock for itself alone may stop. The server frees the locks of a command that dies.
 */
const COMMANDS = [0x62757273, 2]

/** Each try follows a server that went down between our finding it and our getting hold of it. */
const MAX_TRIES = 5

/** Answers how to let go, which leaves the server as it was found. */
export async function lockServer(embedded: EmbeddedPostgres): Promise<() => Promise<void>> {
  let isStartedHere = embedded.how !== 'attached'
  for (let tries = 1; ; tries++) {
    try {
      if (tries > 1) await embedded.ensureRunning()
      const session = await connectTo(embedded.connection)
      await session.query('select pg_advisory_lock_shared($1::int, $2::int)', COMMANDS)
      return () => letGo(embedded, session, isStartedHere)
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      isStartedHere = true
    }
  }
}

async function letGo(embedded: EmbeddedPostgres, session: Client, isStartedHere: boolean): Promise<void> {
  try {
    if (!isStartedHere || !(await isLast(session))) return
    const lock = await lockDataDir(embedded.connection)
    // A Bursar began meanwhile: the server is its own now.
    if (lock === null) return
    await lock.release()
    await embedded.stop()
  } finally {
    await session.end().catch(() => {})
  }
}

/** Keeps the lock when it is got, so that a command that comes now waits, and starts the server anew. */
async function isLast(session: Client): Promise<boolean> {
  try {
    await session.query('select pg_advisory_unlock_shared($1::int, $2::int)', COMMANDS)
    const { rows } = await session.query<{ got: boolean }>(
      'select pg_try_advisory_lock($1::int, $2::int) as got',
      COMMANDS,
    )
    return rows[0]?.got === true
  } catch {
    // Another command may have been the last and stopped the server between the two looks.
    return false
  }
}

export function describeFailure(error: unknown): string {
  if (error instanceof ConfigError)
    return ['The settings are not right.', ...error.lines.map(line => `  ${line}`)].join('\n')
  // The public text of an absent database is for an ERP; an operator needs the reason.
  const refusal = isUnavailable(error) ? writeRefusal(error.cause) : null
  if (refusal !== null) return `${refusal} If it is a standby, point DATABASE_URL at the primary.`
  if (isUnavailable(error) && error.cause !== undefined) {
    return `The database did not answer: ${reasonOf(error.cause)}. Check DATABASE_URL and the server.`
  }
  return reasonOf(error)
}
