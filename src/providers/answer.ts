import { parseAnswer } from '../platform/json.rules.ts'

/**
 * A provider's JSON, read by hand into our types. Only the fields we use are read, each strictly: a wrong one is an
 * `AnswerError` that names its place, so that nothing half-understood gets near money.
 */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly field: string

  constructor(field: string, expected: string) {
    super(`${field} must be ${expected}`)
    this.field = field
  }
}

export type Fields = Readonly<Record<string, unknown>>

export function parseJson(bytes: Buffer): unknown {
  try {
    return parseAnswer(bytes)
  } catch {
    // The parser's own message quotes the text, and the text may name a payer.
    throw new AnswerError('answer', 'JSON')
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readObject(value: unknown, at: string): Fields {
  if (!isObject(value)) throw new AnswerError(at, 'an object')
  return value
}

export function readText(fields: Fields, key: string, at: string): string {
  const value = fields[key]
  if (typeof value !== 'string' || value === '') throw new AnswerError(`${at}.${key}`, 'a text')
  return value
}

export function readOptionalText(fields: Fields, key: string, at: string): string | null {
  const value = fields[key] ?? ''
  if (typeof value !== 'string') throw new AnswerError(`${at}.${key}`, 'a text or null')
  return value === '' ? null : value
}

export function readBoolean(fields: Fields, key: string, at: string): boolean {
  const value = fields[key]
  if (typeof value !== 'boolean') throw new AnswerError(`${at}.${key}`, 'true or false')
  return value
}

export function readOneOf<const T extends string>(
  fields: Fields,
  key: string,
  choices: readonly T[],
  at: string,
): T {
  const found = choices.find(choice => choice === fields[key])
  if (found === undefined) throw new AnswerError(`${at}.${key}`, `one of ${choices.join(', ')}`)
  return found
}

export function readList(fields: Fields, key: string, at: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new AnswerError(`${at}.${key}`, 'a list')
  return value
}

export function readOptionalList(fields: Fields, key: string, at: string): readonly unknown[] {
  return fields[key] === null || fields[key] === undefined ? [] : readList(fields, key, at)
}

/**
 * The payer's browser is sent there, so a script or a file in its place must not pass. An emulator on this machine has
 * no certificate.
 */
export function readPageUrl(fields: Fields, key: string, at: string): string {
  const text = readText(fields, key, at)
  const url = URL.canParse(text) ? new URL(text) : null
  const isLoopback = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isLoopback) throw new AnswerError(`${at}.${key}`, 'an https address')
  return text
}
