import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import type { EventCode } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { Context } from '../../platform/context.ts'
import type { JsonSchema } from '../../platform/json.rules.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { CATALOGUE } from '../../webhooks/events.docs.ts'
import { listSubscriptions } from '../../webhooks/subscriptions/subscriptions.service.ts'
import { exampleEvent, resourceOf } from './example-event.ts'
import { applyOverrides, type Override } from './overrides.rules.ts'

export type Triggered = { eventId: string; eventCode: EventCode; resourceId: string; subscriptions: number }

/**
 * Records an event of which nothing happened, so that a receiver can be tried before there is a plan or a loan. Its
 * resource is made up and has no other events; from there on it goes the way of every event.
 */
export async function triggerEvent(
  ctx: Context,
  command: Command<Triggered>,
  institute: Institute,
  wanted: { eventCode: EventCode; collectorCode?: string; override: readonly Override[] },
): Promise<Triggered> {
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
