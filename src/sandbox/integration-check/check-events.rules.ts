import type { EventCode } from '../../events/codes.ts'
import type { ErpRecord } from '../../erp/erp.rules.ts'
import { newId } from '../../platform/ids.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { deliveryBody } from '../../webhooks/engine/delivery-body.ts'
import { exampleEvent } from '../trigger/example-event.ts'
import type { Expected } from './bookings.rules.ts'

type Json = { [name: string]: unknown }

/** For whom the events are made up. */
export type About = {
  now: Date
  collectorCode: string
  /** As the ERP has it; the example's student when the ERP was not asked. */
  record: ErpRecord | null
  /** Null when it is not registered here. */
  studentId: string | null
}

export type MadeUp = { eventId: string; body: Buffer; payload: Json }

/** With paise that a binary fraction does not hold. */
const PAID = 1_234_567 as Paise
const REFUNDED = 234_567 as Paise

/** An event of the catalogue about the ERP's own student. Fields are added within a version, so it has one more. */
export function makeEvent(code: EventCode, about: About, sequence: number, parts: Json = {}): MadeUp {
  const example = exampleEvent(code, about)
  const payload: Json = { ...example, ...ofStudent(example, about), ...parts, added_in_a_later_version: true }
  const eventId = newId('evt')
  const timestamp = Math.floor(about.now.getTime() / 1_000)
  const text = deliveryBody({
    eventId,
    eventCode: code,
    timestamp,
    sequence,
    payloadJson: JSON.stringify(payload),
  })
  return { eventId, body: Buffer.from(text), payload }
}

/** A payment of its own amount, all of it for the first component of the example. */
export function makePayment(code: EventCode, about: About, sequence: number, parts: Json = {}): MadeUp {
  const { payment } = exampleEvent(code, about)
  // For dues of the student, which not every example is.
  const example = exampleEvent('flex.instalment.debited', about)
  const whose = {
    student: example['student'],
    registration_id: example['registration_id'],
    ...ofStudent(example, about),
  }
  return makeEvent(code, about, sequence, { ...whose, ...parts, payment: withAmount(payment as Json, PAID) })
}

/** Of a part of that payment. */
export function makeRefund(payment: unknown, about: About, sequence: number): MadeUp {
  const refund = exampleEvent('refund.processed', about)['refund'] as Json
  return makeEvent('refund.processed', about, sequence, { payment, refund: withAmount(refund, REFUNDED) })
}

function withAmount(money: Json, paise: Paise): Json {
  const amount = toRupees(paise)
  const details = money['details'] as Json[] | undefined
  return { ...money, amount, ...(details === undefined ? {} : { details: [{ ...details[0], amount }] }) }
}

export function paymentOf({ payload }: MadeUp): Expected {
  return { type: 'payment', id: idOf(payload['payment']), amountPaise: PAID }
}

export function refundOf({ payload }: MadeUp): Expected {
  return { type: 'refund', id: idOf(payload['refund']), amountPaise: REFUNDED }
}

function idOf(block: unknown): string {
  return (block as { id: string }).id
}

function ofStudent({ student, service_student_id: exampleId }: Json, { record, studentId }: About): Json {
  return {
    ...(student === undefined || record === null
      ? {}
      : { student: { ...(student as Json), ...blockOf(record) } }),
    ...(exampleId === undefined ? {} : { service_student_id: studentId ?? exampleId }),
  }
}

function blockOf({ identity, profile }: ErpRecord): Json {
  return {
    identifier: identity.identifier,
    fullname: profile.fullname,
    grade: { code: identity.grade, name: identity.grade },
    academic_year_start: identity.academicYearStart,
    academic_year_end: identity.academicYearEnd,
    primary_contact_name: profile.contactName,
    primary_contact_number: profile.contactNumber,
    primary_contact_email: profile.contactEmail,
  }
}
