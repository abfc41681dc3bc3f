import { type Command, CommanderError } from 'commander'
import { wantsJson, writeError, writeOut } from './output.ts'

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
