import { CommanderError } from 'commander'
import { UsageError } from './help.ts'
import { wantsJson, writeError } from './output.ts'

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
