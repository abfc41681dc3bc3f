/**
 * Every error code that leaves the process, with its HTTP status. The public text tells a person what to
 * change; the internal one is for the log and never leaves.
 */
export const ERROR_STATUS = {
  HUE00000: 400,
  HUE00001: 404,
  HUE00002: 409,
  HUE00003: 405,
  HUE00004: 413,
  AUE00000: 401,
  AUE00001: 403,
  IDE00000: 422,
  IDE00001: 409,
  RLE00000: 429,
  SYE00000: 500,
  SYE00001: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** One field that has to change: `key` is its dotted path in the request. */
export type FieldProblem = { key: string; message: string }

type ErrorExtras = {
  problems?: readonly FieldProblem[]
  /** Data that helps the caller, such as the id of the resource in the way. */
  data?: Readonly<Record<string, string>>
  retryAfterS?: number
  cause?: unknown
}

export class BursarError extends Error {
  override readonly name = 'BursarError'
  readonly code: ErrorCode
  readonly problems: readonly FieldProblem[] | undefined
  readonly data: Readonly<Record<string, string>> | undefined
  readonly retryAfterS: number | undefined

  constructor(code: ErrorCode, publicMessage: string, extras: ErrorExtras = {}) {
    super(publicMessage, { cause: extras.cause })
    this.code = code
    this.problems = extras.problems
    this.data = extras.data
    this.retryAfterS = extras.retryAfterS
  }

  get httpStatus(): number {
    return ERROR_STATUS[this.code]
  }
}

export function badRequest(message: string): BursarError {
  return new BursarError('HUE00000', message)
}

/** A 400 that names its fields; the first one is also the message, so a log line alone helps. */
export function badFields(problems: readonly FieldProblem[]): BursarError {
  const [first] = problems
  const text = first === undefined ? 'The request is not valid.' : describeProblem(first)
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see errors)` : ''
  return new BursarError('HUE00000', `${text}${more}`, { problems })
}

export function badField(key: string, message: string): BursarError {
  return badFields([{ key, message }])
}

export function notFound(what: string): BursarError {
  return new BursarError('HUE00001', `${what} was not found. Check its id.`)
}

export function conflict(message: string, data?: Readonly<Record<string, string>>): BursarError {
  return new BursarError('HUE00002', message, data === undefined ? {} : { data })
}

export function unavailable(message: string, cause?: unknown): BursarError {
  return new BursarError('SYE00001', message, { retryAfterS: 1, cause })
}

/**
 * The school is on its way to another cell, for a second or two: the same again succeeds there. Nothing failed, so nobody is
 * alarmed by it.
 */
export class SchoolMoving extends BursarError {
  constructor(cause?: unknown) {
    super(
      'SYE00001',
      'This school is being moved to another server at this moment. Please retry in two seconds.',
      {
        retryAfterS: 2,
        cause,
      },
    )
  }
}

export function isMoving(error: unknown): boolean {
  return error instanceof SchoolMoving
}

/** The database is away, or somebody else holds a row for too long: the same again may succeed later, not now. */
export function isUnavailable(error: unknown): error is BursarError {
  return error instanceof BursarError && error.code === 'SYE00001'
}

function describeProblem(problem: FieldProblem): string {
  return problem.key === '' ? problem.message : `${problem.key} ${problem.message}`
}
