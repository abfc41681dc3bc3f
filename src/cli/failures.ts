import { ConfigError } from '../app/config.ts'
import { writeRefusal } from '../platform/db/errors.ts'
import { isUnavailable } from '../platform/errors.ts'
import { reasonOf } from './terminal/failures.ts'

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
