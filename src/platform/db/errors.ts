import { BursarError, SchoolMoving, unavailable } from '../errors.ts'

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
  '55P03', // lock time-out
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

/** Also as the cause of what callers are told. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && (sqlState(error) === '55P03' || isLockTimeout(error.cause))
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
  return (
    sqlState(error) === '23505' &&
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === constraint
  )
}

function isDatabaseAway(error: unknown): boolean {
  const code = sqlState(error)
  if (AWAY_CODES.has(code) || code.startsWith('08')) return true
  return error instanceof Error && AWAY_TEXT.test(error.message)
}

function sqlState(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
