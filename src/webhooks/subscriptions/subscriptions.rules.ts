import type { FieldProblem } from '../../platform/errors.ts'

/** What an update may change: undefined leaves it, null clears it. */
export type SubscriptionChange = {
  secretKey?: string | null | undefined
  headerKey?: string | null | undefined
  headerValue?: string | null | undefined
}

/** The institute disabled it, the receiver answered 410, or nothing arrived for a day. */
export type DisabledBecause = 'request' | 'gone' | 'failures'

/** Real time, which receivers live in. */
export function isPaused(
  { disabledAt, pausedUntil }: { disabledAt: Date | null; pausedUntil: Date | null },
  now: Date,
): boolean {
  return disabledAt === null && pausedUntil !== null && pausedUntil > now
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// Visible ASCII with inner blanks: what every server accepts, and nothing that could start another header.
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/
const RESERVED_HEADER =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept-encoding|proxy-.*|webhook-.*|x-signature.*)$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const STANDARD_PREFIX = 'whsec_'

export function subscriptionProblems(change: SubscriptionChange): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { secretKey, headerKey, headerValue } = change
  if (typeof secretKey === 'string' && !isUsableSecret(secretKey)) {
    problems.push({ key: 'secret_key', message: 'begins with whsec_, so the rest must be valid base64' })
  } else if (typeof secretKey === 'string' && isShortSecret(secretKey)) {
    // Who gets hold of one delivery finds a shorter one by trying, and then signs others.
    problems.push({
      key: 'secret_key',
      message: `must have at least ${SHORTEST_SECRET} characters (behind whsec_, as many bytes); choose a long random one`,
    })
  }
  if (typeof headerKey === 'string' && !HEADER_NAME.test(headerKey)) {
    problems.push({ key: 'header_key', message: 'is not a valid HTTP header name' })
  } else if (typeof headerKey === 'string' && RESERVED_HEADER.test(headerKey)) {
    problems.push({
      key: 'header_key',
      message: 'is set by the service itself; choose another, such as X-Api-Key',
    })
  }
  if (typeof headerValue === 'string' && !HEADER_VALUE.test(headerValue)) {
    problems.push({ key: 'header_value', message: 'must be printable ASCII without line breaks' })
  }
  return problems
}

function isUsableSecret(secret: string): boolean {
  if (!secret.startsWith(STANDARD_PREFIX)) return true
  const encoded = secret.slice(STANDARD_PREFIX.length)
  return encoded.length > 0 && BASE64.test(encoded)
}

const SHORTEST_SECRET = 16

/** A `whsec_` secret is as long as what its base64 stands for; outer blanks of another make nothing harder to guess. */
function isShortSecret(secret: string): boolean {
  const key = secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : secret.trim()
  return key.length < SHORTEST_SECRET
}

export function urlProblem(url: string, mode: 'sandbox' | 'live'): FieldProblem | null {
  const { protocol, username, password } = new URL(url)
  if (username !== '' || password !== '') {
    return { key: 'url', message: 'must not carry credentials; send them with header_key and header_value' }
  }
  if (mode === 'live' && protocol !== 'https:') return { key: 'url', message: 'must be an https URL' }
  return null
}

/** What became of a key of a subscription that was there before. */
export type KeyChange = 'kept' | 'set' | 'replaced' | 'cleared'

const SECRET_TEXTS: Readonly<Record<KeyChange, string>> = {
  kept: '',
  set: 'Deliveries are signed with its secret_key from now on.',
  replaced: 'Its secret_key was replaced: for 24 hours deliveries are signed with the old one too.',
  cleared: 'Its secret_key was cleared: deliveries are not signed any more.',
}

type Outcome = {
  /** Null: the subscription is new. */
  update: { secret: KeyChange; isHeaderChanged: boolean; isFixedChanged: boolean } | null
  isHalfHeader: boolean
}

/** What was done to a subscription that was there, and what was sent and not applied or will have no effect yet. */
export function remarks({ update, isHalfHeader }: Outcome): string | undefined {
  const texts: string[] = []
  if (update !== null) {
    const { secret, isHeaderChanged, isFixedChanged } = update
    texts.push('This event code is subscribed already.', SECRET_TEXTS[secret])
    if (isHeaderChanged) texts.push('Its custom header is what you sent.')
    if (secret === 'kept' && !isHeaderChanged) texts.push('Nothing was changed.')
    if (isFixedChanged)
      texts.push(
        'Its url and failure_notification_email stay as shown; ' +
          'to change them, disable the subscription and add it again.',
      )
  }
  if (isHalfHeader) {
    texts.push('The custom header is sent only when header_key and header_value are both set.')
  }
  return texts.filter(text => text !== '').join(' ') || undefined
}
