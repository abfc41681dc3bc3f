import type { EventCode } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { badField } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import type { JsonSchema } from '../../platform/json.rules.ts'
import { exampleEvent, resourceOf } from './example-event.ts'
import { CATALOGUE } from '../../webhooks/events.docs.ts'
import { listSubscriptions } from '../../webhooks/subscriptions/subscriptions.service.ts'

export type TriggeredEvent = {
  eventId: string
  eventCode: EventCode
  resourceId: string
  subscriptions: number
}

/**
 * Records an event of which nothing happened, so that a receiver can be tried before there is a plan or a loan. Its
 * resource is made up and has no other events; from there on it goes the way of every event.
 */
export async function triggerEvent(
  ctx: Context,
  command: Command<TriggeredEvent>,
  institute: Institute,
  wanted: { eventCode: EventCode; collectorCode?: string; override: readonly Override[] },
): Promise<TriggeredEvent> {
  const { eventCode } = wanted
  const collectorCode = branchFor(institute, wanted.collectorCode)
  const misfitOf = await compileSchema(CATALOGUE[eventCode].payload.schema)
  const active = await listSubscriptions(ctx, institute, { collectorCode })
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const example = exampleEvent(eventCode, { now, collectorCode })
    const payload = applyOverrides(example, misfitOf, wanted.override)
    const event = {
      code: eventCode,
      instituteId: institute.id,
      collectorCode,
      resourceId: resourceOf(payload),
      occurredAt: now,
      payload,
    }
    const [eventId = ''] = await recordEvents(tx, [event])
    const subscriptions = active.filter(subscription => subscription.eventCode === eventCode).length
    return { eventId, eventCode, resourceId: event.resourceId, subscriptions }
  })
}

/** Says what is wrong with a value. The library is loaded here, since nothing else needs it and a start would wait for it. */
async function compileSchema(schema: JsonSchema): Promise<(value: unknown) => string | null> {
  const [{ Ajv }, { fullFormats }] = await Promise.all([import('ajv'), import('ajv-formats/dist/formats.js')])
  const isRight = new Ajv({ strict: false, formats: fullFormats }).compile(schema)
  return value => (isRight(value) ? null : (isRight.errors?.[0]?.message ?? 'is wrong'))
}

type Json = { readonly [name: string]: unknown }
type Override = { path: string; value: string }

/**
 * The payload with some of its fields changed; each must be there already. `misfitOf` says what the schema of the event
 * has against a payload.
 */
function applyOverrides(
  payload: Json,
  misfitOf: (changed: unknown) => string | null,
  overrides: readonly Override[],
): Json {
  let changed: unknown = payload
  for (const [index, { path, value }] of overrides.entries()) {
    const old = path.split('.').reduce(childOf, changed)
    const key = `override.${index}`
    if (old === undefined || (typeof old === 'object' && old !== null))
      throw badField(`${key}.path`, `is not a field of this payload: ${describeFields(payload)}.`)
    const read = readAs(old, value)
    if (read === undefined)
      throw badField(`${key}.value`, `must be a ${typeof old === 'number' ? NUMBER_NAME : 'boolean'}.`)
    changed = replaceAt(changed, path.split('.'), read)
    if (typeof old === 'string' && ID.test(old)) changed = replaceEqual(changed, old, read)
    const misfit = misfitOf(changed)
    if (misfit !== null) throw badField(`${key}.value`, `${misfit}, as the schema of the event has it.`)
  }
  return changed as Json
}

const ID = /^[a-z]+_[0-9a-z]{26}$/
/** Written like an amount. */
const NUMBER = /^-?\d{1,12}(?:\.\d{1,2})?$/
const MAX_NUMBER = 100_000_000_000
const NUMBER_NAME = 'number with at most two decimals, up to 100000000000'

function childOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Json)[name]
    : undefined
}

/** Undefined if it cannot be one. A field that is null in the example becomes text. */
function readAs(old: unknown, text: string): unknown {
  if (typeof old === 'number')
    return NUMBER.test(text) && Number(text) <= MAX_NUMBER ? Number(text) : undefined
  if (typeof old === 'boolean') return text === 'true' || (text === 'false' ? false : undefined)
  return text
}

function replaceAt(value: unknown, [name = '', ...rest]: readonly string[], by: unknown): unknown {
  const next = rest.length === 0 ? by : replaceAt(childOf(value, name), rest, by)
  return Array.isArray(value) ? value.with(Number(name), next) : { ...(value as Json), [name]: next }
}

function replaceEqual(value: unknown, old: string, by: unknown): unknown {
  if (value === old) return by
  if (Array.isArray(value)) return value.map(item => replaceEqual(item, old, by))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, replaceEqual(field, old, by)]))
}

function describeFields(value: unknown): string {
  return fieldsOf(value, '').join(', ')
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, field]) =>
    fieldsOf(field, path === '' ? key : `${path}.${key}`),
  )
}
