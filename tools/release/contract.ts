/**
 * What the API document promises its callers, and what a later one takes away from it. `/api/v1` only grows
 * (docs/erp-developer/versions.md): what was sent before is not refused, what was read before is not missing.
 */
import { type Field, fieldsOf, resolve } from '../../src/http/openapi/fields.ts'

type Json = Readonly<Record<string, unknown>>
type Media = { schema: Json }
type Operation = {
  'x-scope'?: string
  parameters?: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Json>
}
/** What a field takes or has. */
type Rule = Json & { isRequired: boolean }
type Rules = Record<string, Rule>
type PromisedCall = { scope: string; takes: Rules; answers: Rules }
export type ApiPromise = {
  calls: Record<string, PromisedCall>
  events: Record<string, Rules>
  codes: string[]
}

const LOWEST = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems']
const HIGHEST = ['maxLength', 'maximum', 'maxItems']
const EXACT = ['format', 'pattern', 'const', 'uniqueItems', 'additionalProperties']
const KEPT = ['type', 'enum', ...LOWEST, ...HIGHEST, ...EXACT]

export function promiseOf(document: Json): ApiPromise {
  const calls = eachOperation(document['paths']).map(([method, path, operation]): [string, PromisedCall] => [
    `${method.toUpperCase()} ${path}`,
    callOf(document, operation),
  ])
  const events = eachOperation(document['webhooks']).map(([, code, { requestBody }]): [string, Rules] => [
    code,
    contentRules(document, '', requestBody?.content),
  ])
  const { responses } = document['components'] as { responses: Json }
  const codes = new Set(JSON.stringify(responses).match(/\b[A-Z]{3}\d{5}\b/g))
  return { calls: Object.fromEntries(calls), events: Object.fromEntries(events), codes: [...codes].sort() }
}

function eachOperation(paths: unknown): [string, string, Operation][] {
  return Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
  )
}

function callOf(
  document: Json,
  { parameters = [], requestBody, responses, ...rest }: Operation,
): PromisedCall {
  const sent = parameters.map(({ name, in: place, required, schema }): [string, Rule] => [
    `${place} ${name}`,
    ruleOf(document, { path: name, schema, isRequired: required }),
  ])
  const successes = Object.entries(responses).filter(([status]) => status < '300')
  const answers = successes.map(([status, answer]) => {
    const { content } = resolve(document, answer) as { content?: Record<string, Media> }
    return { [status]: { isRequired: true }, ...contentRules(document, `${status} `, content) }
  })
  return {
    scope: rest['x-scope'] ?? '',
    takes: {
      ...Object.fromEntries(sent),
      ...(requestBody && { body: { isRequired: requestBody.required === true } }),
      ...contentRules(document, 'body ', requestBody?.content),
    },
    answers: Object.assign({}, ...answers) as Rules,
  }
}

function contentRules(document: Json, before: string, content: Record<string, Media> = {}): Rules {
  const rules = Object.entries(content).flatMap(([type, { schema }]): [string, Rule][] => [
    [`${before}${type}`, { isRequired: false }],
    ...fieldsOf(document, schema).map((field): [string, Rule] => [
      `${before}${field.path}`,
      ruleOf(document, field),
    ]),
  ])
  return Object.fromEntries(rules)
}

function ruleOf(document: Json, { schema, isRequired }: Field): Rule {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.includes(key)))
  const items = schema['items'] === undefined ? null : resolve(document, schema['items'] as Json)
  if (items === null || items['properties'] !== undefined) return { ...kept, isRequired }
  return { ...kept, items: ruleOf(document, { path: '', schema: items, isRequired: false }), isRequired }
}

/** In words, one for each thing that a caller of `before` could do and of `after` cannot. */
export function takenAway(before: ApiPromise, after: ApiPromise): string[] {
  const calls = Object.entries(before.calls).flatMap(([name, call]) => {
    const now = after.calls[name]
    if (now === undefined) return [`${name} is gone`]
    return [
      ...(now.scope === call.scope ? [] : [`${name} asks for the scope ${now.scope}, not ${call.scope}`]),
      ...stricter(call.takes, now.takes).map(what => `${name}: ${what}`),
      ...poorer(call.answers, now.answers).map(what => `${name}: ${what}`),
    ]
  })
  const events = Object.entries(before.events).flatMap(([code, rules]) => {
    const now = after.events[code]
    return now === undefined ? [`${code} is gone`] : poorer(rules, now).map(what => `${code}: ${what}`)
  })
  const codes = before.codes.filter(code => !after.codes.includes(code)).map(code => `${code} is gone`)
  return [...calls, ...events, ...codes]
}

function stricter(before: Rules, after: Rules): string[] {
  const added = Object.entries(after)
    .filter(([path, { isRequired }]) => before[path] === undefined && isRequired && !isInNew(path, before))
    .map(([path]) => `${path} is new and required`)
  return [
    ...added,
    ...Object.entries(before).flatMap(([path, rule]) =>
      compare(path, after[path], now => takesLess(rule, now)),
    ),
  ]
}

/** A field that must be there inside an object that need not be sent asks nothing of those who do not know it. */
function isInNew(path: string, before: Rules): boolean {
  const above = path.replace(/(?:\[\])?\.[^.]*$/, '')
  return above !== path && before[above] === undefined
}

function poorer(before: Rules, after: Rules): string[] {
  return Object.entries(before).flatMap(([path, rule]) =>
    compare(path, after[path], now => hasOther(rule, now)),
  )
}

function compare(path: string, now: Rule | undefined, flaws: (now: Rule) => string[]): string[] {
  return now === undefined ? [`${path} is gone`] : flaws(now).map(flaw => `${path} ${flaw}`)
}

function takesLess(before: Json, after: Json): string[] {
  const numberOf = (rule: Json, key: string, none: number): number =>
    (rule[key] as number | undefined) ?? none
  return [
    ...(after['isRequired'] === true && before['isRequired'] === false ? ['is required now'] : []),
    ...missing(before, after, 'type'),
    ...missing(before, after, 'enum'),
    ...LOWEST.filter(key => numberOf(after, key, -Infinity) > numberOf(before, key, -Infinity)).map(
      key => `has a higher ${key}`,
    ),
    ...HIGHEST.filter(key => numberOf(after, key, Infinity) < numberOf(before, key, Infinity)).map(
      key => `has a lower ${key}`,
    ),
    ...EXACT.filter(key => after[key] !== undefined && !isSame(before[key], after[key])).map(
      key => `has another ${key}`,
    ),
    ...itemFlaws(before, after, takesLess),
  ]
}

function hasOther(before: Json, after: Json): string[] {
  return [
    ...(before['isRequired'] === true && after['isRequired'] === false ? ['may be absent now'] : []),
    ...['type', 'format', 'const']
      .filter(key => !isSame(before[key], after[key]))
      .map(key => `has another ${key}`),
    ...itemFlaws(before, after, hasOther),
  ]
}

function itemFlaws(before: Json, after: Json, flaws: (before: Json, after: Json) => string[]): string[] {
  const [old, now] = [before['items'], after['items']] as (Json | undefined)[]
  if (old === undefined || now === undefined) return []
  return flaws(old, now).map(flaw => `in its items ${flaw}`)
}

/** What was among the values, or types, and is not any more; no list takes everything. */
function missing(before: Json, after: Json, key: string): string[] {
  if (after[key] === undefined) return []
  const now = [after[key]].flat()
  const old = before[key] === undefined ? ['anything'] : [before[key]].flat()
  return old
    .filter(one => !now.includes(one))
    .map(one => `does not take ${JSON.stringify(one)} as its ${key}`)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
