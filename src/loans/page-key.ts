import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Vault } from '../platform/secrets.ts'

const LENGTH = 27

/**
 * What makes the address of an application's page the family's own. The id alone stands in events, lists and the lender's
 * messages; who has only that can neither consent to anything nor accept an offer.
 */
export function pageKey(vault: Vault, applicationId: string): string {
  const mac = createHmac('sha256', vault.deriveKey('pages of loan applications')).update(applicationId)
  return mac.digest('base64url').slice(0, LENGTH)
}

export function isPageKey(vault: Vault, applicationId: string, sent: string | undefined): boolean {
  const [given, wanted] = [Buffer.from(sent ?? ''), Buffer.from(pageKey(vault, applicationId))]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
