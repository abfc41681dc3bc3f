/** One field that has to change: `key` is its dotted path in the request. */
export type FieldProblem = { key: string; message: string }

type Refusal = {
  httpStatus: number
  code: string
  message: string
  requestId?: string | undefined
  fields?: readonly FieldProblem[] | undefined
  data?: Readonly<Record<string, string>> | undefined
}

/** Everything that this package throws. */
export class BursarError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** No answer: the connection failed or was cut. With its Idempotency-Key the request may be sent again. */
export class ConnectionError extends BursarError {}

/** No answer in time. */
export class TimeoutError extends ConnectionError {}

/** A webhook that is not from Bursar, was changed on the way, or is too old. */
export class SignatureError extends BursarError {}

/** The API refused the request. */
export class ApiError extends BursarError {
  readonly httpStatus: number
  /** A code of the error registry, such as HUE00000. */
  readonly code: string
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** The fields to change. */
  readonly fields: readonly FieldProblem[]
  /** Data that helps, such as the id of the resource in the way. */
  readonly data: Readonly<Record<string, string>>

  constructor({ httpStatus, code, message, requestId, fields, data }: Refusal) {
    super(message)
    this.httpStatus = httpStatus
    this.code = code
    this.requestId = requestId
    this.fields = fields ?? []
    this.data = data ?? {}
  }
}

/** HUE00000: the request has to change; `fields` names what. */
export class InvalidRequestError extends ApiError {}
/** AUE00000: no active API key, or the wrong secret. */
export class AuthenticationError extends ApiError {}
/** AUE00001: the API key lacks the scope of the operation. */
export class PermissionError extends ApiError {}
/** HUE00001: no such resource in this institute. */
export class NotFoundError extends ApiError {}
/** HUE00002: the resource is in a state that does not allow it. */
export class ConflictError extends ApiError {}
/** HUE00003: the address does not serve this method. */
export class MethodNotAllowedError extends ApiError {}
/** HUE00004: the body or file is too large. */
export class TooLargeError extends ApiError {}
/** IDE00000: the Idempotency-Key was used for another request. */
export class IdempotencyMismatchError extends ApiError {}
/** IDE00001: the first request with this Idempotency-Key is still running. */
export class IdempotencyInProgressError extends ApiError {}
/** RLE00000: too many requests for this API key. */
export class RateLimitError extends ApiError {}
/** SYE00000: a fault of the server. */
export class ServerError extends ApiError {}
/** SYE00001: briefly unavailable. */
export class UnavailableError extends ServerError {}

const CLASSES: Readonly<Record<string, typeof ApiError>> = {
  HUE00000: InvalidRequestError,
  HUE00001: NotFoundError,
  HUE00002: ConflictError,
  HUE00003: MethodNotAllowedError,
  HUE00004: TooLargeError,
  AUE00000: AuthenticationError,
  AUE00001: PermissionError,
  IDE00000: IdempotencyMismatchError,
  IDE00001: IdempotencyInProgressError,
  RLE00000: RateLimitError,
  SYE00000: ServerError,
  SYE00001: UnavailableError,
}

/** By its code; one that this version does not know is an `ApiError`, or a `ServerError` from 500 on. */
export function toError(refusal: Refusal): ApiError {
  const Known = CLASSES[refusal.code] ?? (refusal.httpStatus >= 500 ? ServerError : ApiError)
  return new Known(refusal)
}
