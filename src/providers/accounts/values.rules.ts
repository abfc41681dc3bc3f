import type { FieldProblem } from '../../platform/errors.ts'
import type { KeyKind, ProviderEntry, ProviderValues } from '../port.ts'

/** One of the credentials as a person enters it. */
export type EnteredValue = { field: string; value: string }

const SHORTEST_WEBHOOK_SECRET = 16

/** What was entered over what is known, and what is wrong with it. The problems never repeat a value. */
export function readValues(
  { settings }: Pick<ProviderEntry, 'settings'>,
  entered: readonly EnteredValue[],
  known: ProviderValues = {},
): { values: ProviderValues; problems: FieldProblem[] } {
  const sent = new Map(entered.map(({ field, value }) => [field, value.trim()]))
  const problems: FieldProblem[] = []
  const values: Record<string, string> = {}
  for (const { field, isOptional } of settings) {
    const value = sent.get(field) || known[field]
    sent.delete(field)
    if (value !== undefined) values[field] = value
    const problem = problemOf(field, value, isOptional === true)
    if (problem !== null) problems.push({ key: `settings.${field}`, message: problem })
  }
  for (const field of sent.keys())
    problems.push({ key: 'settings', message: `has the field ${field}, which the provider does not have` })
  return { values, problems }
}

function problemOf(field: string, value: string | undefined, isOptional: boolean): string | null {
  if (value === undefined) return isOptional ? null : 'is required'
  if (/[\s\p{Cc}]/u.test(value)) return 'must not contain spaces'
  if (field === 'webhook_secret' && value.length < SHORTEST_WEBHOOK_SECRET)
    return `must have at least ${SHORTEST_WEBHOOK_SECRET} characters: a short one can be found by trying`
  return null
}

/** A sandbox must not move real money, and through a test key none arrives. So a rotation never changes the kind of a key. */
export function keyProblem(
  { title, describe }: Pick<ProviderEntry, 'title' | 'describe'>,
  values: ProviderValues,
  mode: 'sandbox' | 'live',
): FieldProblem | null {
  const { field, key } = describe(values)
  if (key === null)
    return { key: `settings.${field}`, message: `is neither a test nor a live key of ${title}` }
  if (key === 'live' && mode === 'sandbox')
    return { key: `settings.${field}`, message: 'is a live key: a sandbox takes test keys only' }
  return key === 'test' && mode === 'live'
    ? {
        key: `settings.${field}`,
        message: 'is a test key, through which no money arrives: live mode takes live keys only',
      }
    : null
}

export type AccountState = KeyKind | 'paused'

export function stateOf({ keyKind, pausedAt }: { keyKind: KeyKind; pausedAt: Date | null }): AccountState {
  return pausedAt === null ? keyKind : 'paused'
}
