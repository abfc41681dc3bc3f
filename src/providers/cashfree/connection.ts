import { createHash, randomUUID } from 'node:crypto'
import type { Call } from '../http.ts'
import { ProviderRefused } from '../port.ts'

/** What all calls of a client share. */
export type Connection = {
  begin: () => Call
  now: () => Date
  environment: 'sandbox' | 'production'
  /** Where an emulator's own checkout is; null at Cashfree. */
  emulatorUrl: string | null
}

/** The key of an id is the same in every repetition; Cashfree asks for the form of a UUID. */
export function repeatable(id: string): Record<string, string> {
  const hash = createHash('sha256').update(id).digest('hex')
  const groups = /^(.{8})(.{4})(.{3})(.{3})(.{12})/.exec(hash)?.slice(1) ?? []
  const [first, second, third, fourth, fifth] = groups
  return {
    'x-idempotency-key': `${first}-${second}-4${third}-8${fourth}-${fifth}`,
    'x-request-id': randomUUID(),
  }
}

/** A refusal as a value; anything else is thrown on. */
export function refusal(error: unknown): ProviderRefused {
  if (error instanceof ProviderRefused) return error
  throw error
}

/** What is there, or null; a refusal for another reason is thrown. */
export async function find<T>(call: Call, path: string, read: (answer: unknown) => T): Promise<T | null> {
  const found = await call('GET', path, read).catch(refusal)
  if (!(found instanceof ProviderRefused)) return found
  if (found.httpStatus === 404) return null
  throw found
}

export function withoutEmpty(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

/** Ten digits for India, which is all that its banks know. */
export function phoneOf(phone: string): string {
  const digits = phone.replaceAll(/\D/g, '')
  return /^(91|0)?\d{10}$/.test(digits) ? digits.slice(-10) : digits
}
