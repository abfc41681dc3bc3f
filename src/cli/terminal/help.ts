import { CommanderError, type Command } from 'commander'
import { wantsJson, writeError, writeOut } from './output.ts'

/** Typed wrongly: what was wrong, and the command whose help tells it right. */
export class UsageError extends Error {
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
