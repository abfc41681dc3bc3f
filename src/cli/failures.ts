import { CommanderError } from 'commander'
import { ConfigError } from '../app/config.ts'
import { isUnavailable } from '../platform/errors.ts'
import { UsageError } from './help.ts'
import { wantsJson, writeError } from './output.ts'

const OK = 0
const FAILED = 1
const TYPED_WRONGLY = 2

/** Tells the operator what went wrong; answers the exit code. */
export function reportFailure(error: unknown): number {
  // Help and version leave this way as well.
  if (error instanceof CommanderError && error.exitCode === 0) return OK
  const isUsage = error instanceof UsageError
  if (wantsJson()) writeError(JSON.stringify({ error: describe(error) }))
  else if (!isUsage || !error.isHelpShown) writeError(describe(error))
  if (process.env['DEBUG'] === '1' && error instanceof Error && !wantsJson()) writeError(stacksOf(error))
  return isUsage ? TYPED_WRONGLY : FAILED
}

function describe(error: unknown): string {
  if (error instanceof ConfigError)
    return ['The settings are not right.', ...error.lines.map(line => `  ${line}`)].join('\n')
  // The public text of an absent database is for an ERP; an operator needs the reason.
  if (isUnavailable(error) && error.cause !== undefined) {
    return `The database did not answer: ${reasonOf(error.cause)}. Check DATABASE_URL and the server.`
  }
  return reasonOf(error)
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
