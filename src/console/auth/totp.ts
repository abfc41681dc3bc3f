import { randomInt } from 'node:crypto'
import { generateSecret, generateURI, verifySync } from 'otplib'

/** Codes of an authenticator app: six digits, thirty seconds, as every app makes them. */
const PERIOD_S = 30
const ISSUER = 'Bursar'

export function newTotpSecret(): string {
  return generateSecret({ length: 20 })
}

/** What an app reads: as text for a link, and as a picture to scan. */
export async function totpSetup(secret: string, email: string): Promise<{ uri: string; qrSvg: string }> {
  const uri = generateURI({ issuer: ISSUER, label: email, secret })
  const { toString } = await import('qrcode')
  return { uri, qrSvg: await toString(uri, { type: 'svg', margin: 2 }) }
}

/**
 * The time step whose code this is, or null. The steps before and after the present one count too, for clocks that
 * differ; none counts that is not after the last one taken.
 */
export function matchTotp(secret: string, code: string, lastStep: number | null): number | null {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const epoch = Math.floor(Date.now() / 1_000)
  const result = verifySync({ secret, token, epoch, epochTolerance: PERIOD_S })
  if (!result.valid) return null
  const step = Math.floor(epoch / PERIOD_S) + result.delta
  return lastStep !== null && step <= lastStep ? null : step
}

const CODES = 10
// Letters and digits that are taken for one another are left out.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Ten codes for the day the phone is lost, each good once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newTypedCode)
}

/** Nobody guesses it: 79 bits. */
export function newTypedCode(): string {
  return [4, 4, 4, 4].map(length => Array.from({ length }, drawLetter).join('')).join('-')
}

function drawLetter(): string {
  return ALPHABET.charAt(randomInt(ALPHABET.length))
}

/** Makes codes comparable: people leave hyphens out and type capitals. */
export function plainTypedCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, '')
}
