import { badField } from '../platform/errors.ts'

type Mode = 'sandbox' | 'live'

/** Prevents misleading links: https only (http in a sandbox), no credentials or control characters. */
export function isAllowedReturnUrl(text: string, mode: Mode): boolean {
  const url = /[\p{C}\s]/u.test(text) ? null : URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return false
  return url.protocol === 'https:' || (mode === 'sandbox' && url.protocol === 'http:')
}

/** Where payers are sent in live mode, nobody reads along on the way; a sandbox takes whatever a developer tries. */
export function requireReturnUrl(url: string | null | undefined, mode: Mode): void {
  if (mode === 'live' && typeof url === 'string' && !isAllowedReturnUrl(url, mode))
    throw badField('callback_url', 'must be an https URL without credentials')
}
