import type { EventCode } from '../../events/codes.ts'
import type { ErpRecord } from '../../erp/erp.rules.ts'
import { newId } from '../../platform/ids.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { deliveryBody } from '../../webhooks/delivery-log/deliveries.rules.ts'
import { exampleEvent } from '../trigger/example-event.ts'
import type { Expected } from './bookings.rules.ts'

type Json = { [name: string]: unknown }

/** The school and student that the events are made up for. */
export type About = {
  now: Date
  collectorCode: string
  /** The ERP's record; null when the ERP was not asked, then the example's student is used. */
  record: ErpRecord | null
  /** Null when it is not registered here. */
  studentId: string | null
}

export type MadeUp = { eventId: string; body: Buffer; payload: Json }

/** A binary fraction cannot hold these paise, so rounding in the ERP shows. */
const PAID = 1_234_567 as Paise
const REFUNDED = 234_567 as Paise

/** An event of the catalogue about the ERP's own student. Fields are added within a version, so it has one more. */
export function makeEvent(code: EventCode, about: About, sequence: number): MadeUp {
  return seal(code, about, sequence, exampleOf(code, about))
}

/** A payment of its own amount, all of it for the first component of the example. */
export function makePayment(code: EventCode, about: About, sequence: number, parts: Json = {}): MadeUp {
  // The example of dues of a student; not every example pays dues.
  const { student, service_student_id, registration_id } = exampleOf('flex.instalment.debited', about)
  const example = exampleOf(code, about)
  const { payment, order } = example
  return seal(code, about, sequence, {
    student,
    service_student_id,
    registration_id,
    ...example,
    ...(order === undefined ? {} : { order: orderOf(order as Json, about) }),
    ...parts,
    payment: withAmount(payment as Json, PAID),
  })
}

/** Makes the refund of a part of that payment. */
export function makeRefund({ payload: paid }: MadeUp, about: About, sequence: number): MadeUp {
  const { refund, ...example } = exampleOf('refund.processed', about)
  return seal('refund.processed', about, sequence, {
    ...example,
    order_id: paid['order_id'],
    service_student_id: paid['service_student_id'],
    payment: paid['payment'],
    refund: withAmount(refund as Json, REFUNDED),
  })
}

function exampleOf(code: EventCode, about: About): Json {
  const example = exampleEvent(code, about)
  return { ...example, ...ofStudent(example, about) }
}

function seal(code: EventCode, { now }: About, sequence: number, parts: Json): MadeUp {
  const payload = { ...parts, added_in_a_later_version: true }
  const eventId = newId('evt')
  const event = { eventId, eventCode: code, timestamp: Math.floor(now.getTime() / 1_000), sequence }
  const text = deliveryBody({ ...event, payloadJson: JSON.stringify(payload) })
  return { eventId, body: Buffer.from(text), payload }
}

function orderOf({ details, ...order }: Json, { record }: About): Json {
  const [line] = details as Json[]
  const whose =
    record === null ? {} : { identifier: record.identity.identifier, grade: record.identity.grade }
  return { ...order, ...whose, details: [{ ...line, amount: toRupees(PAID) }] }
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
