/**
 * The Idempotency-Key of a request belongs to what somebody wants done, not to one press of a button. It is kept in
 * the tab until the server has answered: when the answer gets lost, pressing again sends the same request, even after
 * a reload, and the server does it once. One key for each address, not for each content: a refund whose reason was
 * typed a little differently the second time must not become a second refund (the server refuses it with IDE00000).
 */
const PREFIX = 'bursar.idempotency-key '

export function keyFor(address: string): string {
  const kept = sessionStorage.getItem(PREFIX + address)
  if (kept !== null) return kept
  const key = newKey()
  sessionStorage.setItem(PREFIX + address, key)
  return key
}

/** Once the server has carried the request out or refused it, the next press is a new request. */
export function dropKey(address: string, key: string | undefined): void {
  if (sessionStorage.getItem(PREFIX + address) === key) sessionStorage.removeItem(PREFIX + address)
}

/** Not randomUUID, which a browser has over https and on localhost only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
