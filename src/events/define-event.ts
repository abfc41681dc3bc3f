import type { JsonSchema } from '../platform/json.rules.ts'

/** What an event carries: an output (http/wire/output.ts) that is read at the moment of the event. */
type Payload<Source, Json> = {
  readonly schema: JsonSchema
  readonly example: Json
  /** Takes the event's moment as its context, or none. */
  toJson(this: void, source: Source, at: never): Json
}

/** What differs from an example; undefined leaves the field out. */
type Difference<Json> = Json extends readonly unknown[]
  ? Json
  : Json extends object
    ? { readonly [Key in keyof Json]?: Difference<Json[Key]> | undefined }
    : Json

export type EventDefinition<Source = never, Json = unknown> = {
  /** When it is recorded, for the reference. */
  readonly when: string
  readonly payload: Payload<Source, Json>
  /** A payload as this event has it, where that of the schema has every field. */
  readonly example: Json
  /** When the event of the example happened. */
  readonly exampleAt: Date
}

/**
 * Features define their events beside their nouns, as a record by code; webhooks/events.docs.ts puts all of them
 * together.
 */
export function defineEvent<Source, Json>(
  when: string,
  payload: Payload<Source, Json>,
  example?: Difference<Json>,
  exampleAt = '2026-11-15T04:32:10.000Z',
): EventDefinition<Source, Json> {
  return {
    when,
    payload,
    example: example === undefined ? payload.example : (differing(payload.example, example) as Json),
    exampleAt: new Date(exampleAt),
  }
}

function differing(value: unknown, difference: unknown): unknown {
  if (!isRecord(value) || !isRecord(difference)) return difference
  const fields = Object.entries(difference).map(([name, other]) => [name, differing(value[name], other)])
  const all = { ...value, ...Object.fromEntries(fields) }
  return Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What an event's payload is read from. */
export type SourceOf<Definition> =
  Definition extends EventDefinition<infer Source, infer _Json> ? Source : never

type EventSubject = {
  instituteId: number
  collectorCode: string
  /** Events of one resource carry a rising sequence: an order, a plan, an application or a student. */
  resourceId: string
  occurredAt: Date
}

export type NewEvent = EventSubject & { code: EventCode | TestCode; payload: unknown }

export function newEvent<
  Code extends EventCode | TestCode,
  Definitions extends Readonly<Record<Code, EventDefinition>>,
>(events: Definitions, code: Code, about: EventSubject, source: SourceOf<Definitions[Code]>): NewEvent {
  const { payload }: EventDefinition = events[code]
  return { ...about, code, payload: payload.toJson(source as never, about.occurredAt as never) }
}

/** Every event code there is. The compiler asks for the definition of a new one in webhooks/events.docs.ts. */
export const EVENT_CODES = [
  'masterdata.student.registered',
  'masterdata.student.dropped',
  'masterdata.student.activated',
  'direct.payment.added',
  'direct.payment.updated',
  'direct.payment.cancelled',
  'flex.subscription.setup',
  'flex.subscription.active',
  'flex.subscription.updated',
  'flex.subscription.locked',
  'flex.subscription.unlocked',
  'flex.subscription.cancelled',
  'flex.subscription.closed',
  'flex.mandate.cancelled',
  'flex.mandate.expired',
  'flex.downpayment.debited',
  'flex.downpayment.settled',
  'flex.instalment.debited',
  'flex.instalment.settled',
  'flex.instalment.bounced',
  'flex.instalment.skipped',
  'pay.payment.debited',
  'pay.payment.settled',
  'order.payment.debited',
  'order.payment.settled',
  'payment_link.payment.debited',
  'payment_link.payment.settled',
  'payment_link.payment.expired',
  'payment_link.payment.cancelled',
  'page.payment.debited',
  'page.payment.settled',
  'cred.loan.application_started',
  'cred.loan.application_filled',
  'cred.loan.application_expired',
  'cred.loan.rejected',
  'cred.loan.canceled',
  'cred.loan.final_approved',
  'cred.loan.agreement_signed',
  'cred.loan.disbursed',
  'cred.emi.debited',
  'pay.dispute.opened',
  'pay.dispute.won',
  'pay.dispute.lost',
  'virtual_account.created',
  'virtual_account.closed',
  'refund.processed',
  'refund.failed',
] as const

export type EventCode = (typeof EVENT_CODES)[number]

/** What a test delivery carries; nothing happened, so nobody subscribes to it. */
export const TEST_CODE = 'webhook.test'
export type TestCode = typeof TEST_CODE

/** A delivery that a subscriber is owed of an event. */
export type OwedDelivery = { id: string; webhookId: string; eventId: string }

/** What an institute's subscribers are owed of events that were just recorded. */
export type OwedDeliveries = {
  instituteId: number
  owed: readonly OwedDelivery[]
  events: readonly OwedEvent[]
}

/** An event that its transaction has just written. */
type OwedEvent = {
  id: string
  code: string
  sequence: number
  occurredAt: Date
  payloadJson: string
  traceParent: string | null
}
