import { largestOf } from '../platform/lists.ts'
import { type Command, CommanderError } from 'commander'

/**
 * The one place that writes: answers to stdout, everything else to stderr. The command line for developers is packed with it,
 * so it imports nothing of the server.
 */

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
export function reasonOf(error: unknown): string {
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
