export type FailureReason =
  | 'address_refused'
  | 'name_not_found'
  | 'not_reachable'
  | 'tls'
  | 'timeout'
  | 'broken_answer'
  /** Ours: we were stopping. Nothing is known of the other side. */
  | 'stopped'

/** Why an exchange failed, in words for a person who does not know our house. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure'
  readonly reason: FailureReason

  constructor(reason: FailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** What an error of the network means. Once the request was on its way, all that can fail is the answer. */
export function explain(
  error: unknown,
  { isSent, isTls }: { isSent: boolean; isTls: boolean },
): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const details = detailsOf(error)
  if (details.code === 'UND_ERR_DESTROYED' || details.code === 'UND_ERR_CLOSED') {
    return new OutboundFailure('stopped', 'Bursar was stopping.')
  }
  if (isSent) return new OutboundFailure('broken_answer', brokenText(details))
  const tls = isTls ? tlsText(details) : null
  if (tls !== null) return new OutboundFailure('tls', tls)
  return new OutboundFailure('not_reachable', UNREACHABLE[details.code] ?? 'No connection could be made.')
}

type Details = { code: string; name: string; words: string; isOfSystem: boolean }

function detailsOf(error: unknown): Details {
  if (!(error instanceof Error)) return { code: '', name: '', words: '', isOfSystem: false }
  const { code, syscall, reason } = error as { code?: unknown; syscall?: unknown; reason?: unknown }
  return {
    code: typeof code === 'string' ? code : '',
    name: error.name,
    // OpenSSL's message names its source files, a certificate's can be as long as its author likes.
    words: (typeof reason === 'string' ? reason : error.message).slice(0, MOST_CHARACTERS),
    // Several addresses were tried, each by a call of its own.
    isOfSystem: typeof syscall === 'string' || error instanceof AggregateError,
  }
}

const MOST_CHARACTERS = 200

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed while it was being made.',
  EHOSTUNREACH: 'There is no way to the host.',
  ENETUNREACH: 'There is no way to the host.',
  ETIMEDOUT: 'The host did not take the connection in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The host did not take the connection in time.',
}

function brokenText({ code, name, words }: Details): string {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'The headers of the answer are too large.'
  const isMisplaced = code === 'UND_ERR_SOCKET' && words.startsWith('bad')
  if (name === 'HTTPParserError' || isMisplaced) return 'The answer is not valid HTTP.'
  return 'The connection was closed before the answer was complete.'
}

/** Null when the trouble lies below TLS. */
function tlsText({ code, words, isOfSystem }: Details): string | null {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `The certificate is for another name: ${words}`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return `The TLS handshake failed: ${words}`
  if (isOfSystem || code.startsWith('UND_ERR_') || code.startsWith('ERR_')) return null
  // Errors of the system name their call; without one Node means that the peer left during the handshake.
  if (code === 'ECONNRESET') return 'The TLS handshake failed: the connection was closed'
  // Node's advice to the developer stands behind a semicolon.
  return `The certificate is not trusted: ${words.split(';', 1)[0]}`
}
