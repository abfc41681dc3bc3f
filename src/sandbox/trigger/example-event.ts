import { randomInt } from 'node:crypto'
import type { EventCode } from '../../events/define-event.ts'
import { dayOf } from '../../platform/calendar.ts'
import { newId, type IdPrefix } from '../../platform/ids.ts'
import { CATALOGUE } from '../../webhooks/events.docs.ts'

type Json = { readonly [name: string]: unknown }

/**
 * The catalogue's example of an event as if it happened now in this branch: its days and moments move with the clock,
 * and ids and bank references are new each time, so that they meet nothing that exists.
 */
export function exampleEvent(code: EventCode, at: { now: Date; collectorCode: string }): Json {
  const { example, exampleAt } = CATALOGUE[code]
  return refresh(example, '', { ...at, exampleAt, renamed: new Map() }) as Json
}

/** An event belongs to the events of its plan, application, order or student. */
export function resourceOf({ subscription, application, order_id, service_student_id }: Json): string {
  const whole = (subscription ?? application) as { id: string } | undefined
  const id = whole?.id ?? order_id ?? service_student_id
  if (typeof id !== 'string') throw new Error('a payload names neither an order nor a student')
  return id
}

type ExampleContext = { now: Date; collectorCode: string; exampleAt: Date; renamed: Map<string, string> }

function refresh(value: unknown, name: string, at: ExampleContext): unknown {
  if (Array.isArray(value)) return value.map(item => refresh(item, name, at))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, refresh(field, key, at)]))
  if (name === 'collector_code') return at.collectorCode
  if (name.startsWith('academic_year')) return schoolYear(at.now) + (name.endsWith('end') ? 1 : 0)
  return typeof value === 'string' ? refreshText(value, name, at) : value
}

const ID = /\b([a-z]+)_[0-9a-z]{26}\b/g
const REFERENCES = ['transaction_id', 'settlement_utr', 'utr', 'umrn']

function refreshText(text: string, name: string, at: ExampleContext): string {
  const { now, exampleAt } = at
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return sameDistance(text, dayOf(exampleAt), dayOf(now))
  if (/^\d{4}-\d\d-\d\dT/.test(text))
    return new Date(now.getTime() + Date.parse(text) - exampleAt.getTime()).toISOString()
  if (REFERENCES.includes(name)) return rename(at, text, () => text.replace(/\d{4}$/, newDigits))
  return text.replaceAll(ID, (id, prefix: IdPrefix) => rename(at, id, () => newId(prefix)))
}

/** Replaces an id by another, the same one wherever the example repeats it. */
function rename({ renamed }: ExampleContext, text: string, make: () => string): string {
  const other = renamed.get(text) ?? make()
  renamed.set(text, other)
  return other
}

function newDigits(): string {
  return String(randomInt(10_000)).padStart(4, '0')
}

function sameDistance(day: string, from: string, to: string): string {
  const distance = Temporal.PlainDate.from(from).until(day, { largestUnit: 'day' })
  return Temporal.PlainDate.from(to).add(distance).toString()
}

/** It begins in April. */
function schoolYear(now: Date): number {
  const { year, month } = Temporal.PlainDate.from(dayOf(now))
  return month < 4 ? year - 1 : year
}
