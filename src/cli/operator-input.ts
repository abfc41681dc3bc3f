import { InvalidArgumentError } from 'commander'
import { countCharacters } from '../http/wire/formats.ts'
import { isInstituteCode, SCOPE_NAMES, type ScopeName } from '../institutes/institutes.rules.ts'
import { isIdShaped } from '../platform/ids.ts'
import { InputError } from './terminal.ts'

/** What an operator may type, checked before anything is opened. */

const CODE_LIMIT = 64
const NAME_LIMIT = 500
const RATE_LIMIT = 1_000_000

export function readInstituteCode(text: string): string {
  if (isInstituteCode(text)) return text
  throw new InputError(
    `"${text}" cannot be an institute code: use 1 to 63 lower-case letters, digits and hyphens, not a hyphen first.`,
  )
}

export function readBranchCode(text: string): string {
  return readText(text, 'A branch code', CODE_LIMIT)
}

export function readCatalogueCode(text: string): string {
  return readText(text, 'A catalogue code', CODE_LIMIT)
}

export function readLabel(text: string): string {
  return readText(text, 'A label', CODE_LIMIT)
}

export function readName(text: string): string {
  return readText(text, 'A name', NAME_LIMIT)
}

export function readKeyId(text: string): string {
  if (isIdShaped(text)) return text
  throw new InputError(`"${text}" cannot be a key id: \`bursar keys list INSTITUTE\` shows them.`)
}

type NewBranch = { collectorCode: string; name: string }

/** May be given several times. */
export function collectBranch(text: string, before: readonly NewBranch[] = []): NewBranch[] {
  const equals = text.indexOf('=')
  if (equals < 0)
    throw new InputError(`"${text}" is not a branch: write CODE=NAME, such as NORTH="North campus".`)
  const branch = {
    collectorCode: readBranchCode(text.slice(0, equals)),
    name: readName(text.slice(equals + 1)),
  }
  return [...before, branch]
}

/** May be given several times. */
export function collectScope(text: string, before: readonly ScopeName[] = []): ScopeName[] {
  const scope = SCOPE_NAMES.find(name => name === text)
  if (scope === undefined) throw new InvalidArgumentError(`Allowed are ${SCOPE_NAMES.join(', ')}.`)
  return [...before, scope]
}

export function readRate(text: string): number {
  const rate = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (rate >= 1 && rate <= RATE_LIMIT) return rate
  throw new InputError(`"${text}" is not a rate: write a whole number from 1 to ${RATE_LIMIT}.`)
}

/** Reads text like the API, and refuses characters that a terminal would act on. */
function readText(text: string, what: string, limit: number): string {
  const length = text.trim() === '' ? 0 : countCharacters(text)
  if (length < 1 || length > limit) {
    throw new InputError(`${what} must have 1 to ${limit} characters; this one has ${length}.`)
  }
  if (text !== text.trim()) throw new InputError(`${what} must not begin or end with a space: "${text}".`)
  if (/\p{Cc}/u.test(text)) throw new InputError(`${what} must not hold control characters.`)
  return text
}
