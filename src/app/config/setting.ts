import { existsSync } from 'node:fs'
import type { Mode } from '../../platform/context.ts'

/** Thrown by a reader: what the value must be, without the value itself, which may be a secret. */
export class WrongValue extends Error {
  override readonly name = 'WrongValue'
}

/** Makes the value out of the text in the environment, which is trimmed and not empty. */
type Reader<Value> = (text: string, mode: Mode) => Value

type Default = string | Readonly<Record<Mode, string>>

/** One environment variable. */
export type Setting<Value = unknown> = {
  describes: string
  /** Written as an operator would write it, so it is read like a value that was set. */
  default?: Default
  /** A default that follows from other settings, in words. */
  derivedDefault?: string
  /** Shown as "set", and not repeated when it is wrong. */
  isSecret?: boolean
  read: Reader<Value>
}

export function setting<Value>(
  describes: string,
  read: Reader<Value>,
  standard: Default,
): Setting<Value> & { default: Default } {
  return { describes, read, default: standard }
}

type OptionalParts = Pick<Setting, 'derivedDefault' | 'isSecret'>

/** Null when it is not set. */
export function optional<Value>(
  describes: string,
  read: Reader<Value>,
  parts: OptionalParts = {},
): Setting<Value | null> {
  return { describes, read, ...parts }
}

/** The default as the guide and `bursar config` show it; empty when there is none. */
export function describeDefault({ default: standard, derivedDefault = '' }: Setting): string {
  if (standard === undefined || typeof standard === 'string') return standard ?? derivedDefault
  return `${standard.sandbox} in sandbox, ${standard.live} in live`
}

export const asText = (text: string): string => text

export const asList = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

export function oneOf<const Value extends string>(...allowed: readonly Value[]): Reader<Value> {
  return text => {
    const value = allowed.find(option => option === text)
    if (value === undefined) throw new WrongValue(`must be one of ${allowed.join(', ')}`)
    return value
  }
}

export function wholeNumber(min: number, max: number): Reader<number> {
  return text => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new WrongValue(`must be a whole number from ${min} to ${max}`)
  }
}

export function matching(pattern: RegExp, must: string): Reader<string> {
  return text => {
    if (!pattern.test(text)) throw new WrongValue(must)
    return text
  }
}

export function listOf(isItem: (item: string) => boolean, must: string): Reader<string[]> {
  return text => {
    const items = asList(text)
    if (!items.every(isItem)) throw new WrongValue(must)
    return items
  }
}

export const fraction: Reader<number> = text => {
  const value = Number(text)
  if (value >= 0 && value <= 1) return value
  throw new WrongValue('must be a number from 0 to 1')
}

/** `name=value,name=value` */
export const asPairs: Reader<[string, string][]> = text =>
  asList(text).map(pair => {
    const at = pair.indexOf('=')
    if (at < 1 || /%(?![0-9a-f]{2})/i.test(pair)) throw new WrongValue('must be name=value,name=value')
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
  })

/** Wraps a parser that answers null for what it does not understand. */
export function parsedBy<Value>(parse: (text: string) => Value | null, must: string): Reader<Value> {
  return text => {
    const value = parse(text)
    if (value === null) throw new WrongValue(must)
    return value
  }
}

export const existingFile: Reader<string> = text => {
  if (!existsSync(text)) throw new WrongValue('must name a file that exists')
  return text
}

/** The reader drops slashes at the end, because paths are appended. */
export const httpUrl: Reader<string> = text => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new WrongValue('must be an http or https address')
  return text.replace(/(?<!\/)\/+$/, '')
}

/** A sandbox may talk to a fake provider without TLS. */
export const providerUrl: Reader<string> = (text, mode) => {
  const { protocol = '' } = URL.parse(text) ?? {}
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'sandbox'))
    throw new WrongValue('must be an https address')
  return text.replace(/(?<!\/)\/+$/, '')
}

/** The same, and an emulator on this machine in live mode too. */
export const providerApiUrl: Reader<string> = (text, mode) => {
  const { protocol, hostname = '' } = URL.parse(text) ?? {}
  const isHere = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return isHere ? text.replace(/(?<!\/)\/+$/, '') : providerUrl(text, mode)
}
