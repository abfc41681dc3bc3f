import { BursarError, isUnavailable, SchoolMoving, unavailable } from '../errors.ts'

const LOCK_TIMEOUT = '55P03'
/** Raised by fence_school(), in migrations/. */
const SCHOOL_MOVING = 'BU001'

/** What a driver error means for the caller. The driver's own text stays inside as the cause. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
  '57P05', // idle session time-out
  '53300', // too many connections
  '3D000', // no such database
  '55000', // database not accepting connections
  '57014', // statement time-out
  LOCK_TIMEOUT,
])

/** The database answers, and can be read, but takes no writes: nothing that a caller can mend. */
const WRITE_REFUSALS: Readonly<Record<string, string>> = {
  '25006': 'The database is read-only.',
  '53100': 'The disk of the database is full.',
  '53200': 'The database is out of memory.',
  '58030': 'The database cannot write its files.',
}

const AWAY_TEXT =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|not queryable|Client has encountered a connection error|Cannot use a pool after calling end/

/** A worker that a Citus loses in the middle is an internal error of the coordinator, in the words of its own client. */
const WORKER_AWAY_TEXT =
  /server closed the connection|SSL error|SSL connection has been closed|could not (receive data from|send data to) server|no connection to the server|connection not open|failure on connection marked as essential|failed to COPY to shard|could not commit transaction for shard/
const INTERNAL = 'XX000'

const RETRY_CODES = new Set(['40001', '40P01'])

export function toBursarError(error: unknown): unknown {
  if (error instanceof BursarError) return error
  if (sqlState(error) === SCHOOL_MOVING) return new SchoolMoving(error)
  const refusal = writeRefusal(error)
  if (refusal !== null) return unavailable(`${refusal} Please retry later.`, error)
  return isDatabaseAway(error)
    ? unavailable('The service is briefly unavailable. Please retry.', error)
    : error
}

/** Why the database takes no writes at the moment, if that is what the error says. */
export function writeRefusal(error: unknown): string | null {
  return WRITE_REFUSALS[sqlState(error)] ?? null
}

export function isTimeout(error: unknown): error is Error {
  return error instanceof Error && (sqlState(error) === '57014' || error.message === 'Query read timeout')
}

/** No answer, or none in time; not that somebody holds a row. */
export function isServerAway(error: unknown): boolean {
  return isUnavailable(error) && sqlState(error.cause) !== LOCK_TIMEOUT
}

/** A statement before it in the transaction failed, and that one says why. */
export function isAborted(error: unknown): boolean {
  return sqlState(error) === '25P02'
}

/** A deadlock or serialisation failure: the same transaction may succeed at once. */
export function isRetryable(error: unknown): boolean {
  return RETRY_CODES.has(sqlState(error))
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error) || !isDuplicate(error)) return false
  const name =
    'constraint' in error && typeof error.constraint === 'string' ? error.constraint : quotedName(error)
  return name === constraint || name.replace(/_\d+$/, '') === constraint
}

/** Where Citus copies rows to a shard it hands on the message alone, as an internal error. */
function isDuplicate(error: Error): boolean {
  const code = sqlState(error)
  return code === '23505' || (code === INTERNAL && error.message.startsWith('duplicate key value violates'))
}

/** Citus hands on the message of a shard without its fields; there the name ends with the shard's number. */
function quotedName(error: Error): string {
  return /"([^"]+)"/.exec(error.message)?.[1] ?? ''
}

function isDatabaseAway(error: unknown): boolean {
  const code = sqlState(error)
  if (AWAY_CODES.has(code) || code.startsWith('08')) return true
  if (!(error instanceof Error)) return false
  return AWAY_TEXT.test(error.message) || (code === INTERNAL && WORKER_AWAY_TEXT.test(error.message))
}

function sqlState(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
