import type { ErpAnswer, ErpRecord, RefusalCode } from '../../erp/erp.rules.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import type { EventCode } from '../../events/define-event.ts'
import { newId } from '../../platform/ids.ts'
import { toRupees, type Paise, formatRupees, parseRupees } from '../../platform/money.ts'
import { deliveryBody } from '../../webhooks/delivery-log/deliveries.rules.ts'
import { exampleEvent } from '../trigger/example-event.ts'
import { parseAnswer } from '../../platform/json.rules.ts'

/** What an integration has to do, and how a result of the check reads. */
export const PARTS = ['fetch', 'webhooks'] as const
export type CheckPart = (typeof PARTS)[number]

/** `unproven`: nothing went wrong, but only a look into the ERP's books would show that it is right. */
export const OUTCOMES = ['passed', 'failed', 'unproven', 'not_run'] as const
type Outcome = (typeof OUTCOMES)[number]

const CHECKS = {
  fetch_found: ['fetch', 'An active student is answered with its record'],
  fetch_protected: ['fetch', 'A call without credentials is refused'],
  fetch_not_found: ['fetch', 'An unknown student is answered with student_not_found'],
  fetch_discontinued: ['fetch', 'A student who has left is answered with student_discontinued'],
  fetch_transferred: ['fetch', 'A student of another branch is answered with student_transferred'],
  fetch_data_error: ['fetch', 'A record that cannot be used is answered with data_error'],
  fetch_year_end: ['fetch', 'The academic year that is asked for is the one that is answered'],
  webhook_subscribed: ['webhooks', 'The events of money are subscribed to, with a secret'],
  webhook_accepted: ['webhooks', 'A genuine delivery is accepted and booked to the paisa'],
  webhook_signature: ['webhooks', 'A delivery that is not genuine is refused'],
  webhook_repeat: ['webhooks', 'The same event several times at once is booked once'],
  webhook_retry: ['webhooks', 'An event that is sent again later is booked once'],
  webhook_refund: ['webhooks', 'A refund is booked once'],
  webhook_out_of_order: ['webhooks', 'A refund that arrives before its payment is booked like any other'],
  webhook_skipped: ['webhooks', 'A skipped instalment is accepted, and its later debit is booked once'],
} as const satisfies Record<string, readonly [CheckPart, string]>

export type CheckCode = keyof typeof CHECKS
export const CHECK_CODES = Object.keys(CHECKS) as [CheckCode, ...CheckCode[]]

/** One call, as its developer may see it: without secrets, and cut to a readable length. */
export type Exchange = {
  method: 'GET' | 'POST'
  url: string
  /** What was special about it, and the body. */
  sent: string
  httpStatus: number | null
  received: string
  durationMs: number
}

export type Verdict = { outcome: Outcome; message: string }
export type CheckResult = Verdict & {
  code: CheckCode
  part: CheckPart
  title: string
  exchanges: readonly Exchange[]
}

export function passed(message: string): Verdict {
  return { outcome: 'passed', message }
}

export function failed(message: string): Verdict {
  return { outcome: 'failed', message }
}

export function notRun(message: string): Verdict {
  return { outcome: 'not_run', message }
}

export function toResult(
  code: CheckCode,
  { outcome, message }: Verdict,
  exchanges: readonly Exchange[] = [],
): CheckResult {
  const [part, title] = CHECKS[code]
  return { code, part, title, outcome, message, exchanges }
}

export function isWhole(results: readonly CheckResult[]): boolean {
  return results.length > 0 && results.every(({ outcome }) => outcome === 'passed')
}

/** Verdict of a check that would begin too late. */
export const OUT_OF_TIME = notRun('The checks before took too long. Mend what is slow and check again.')

type FetchResult = { url: string; answer: ErpAnswer; differences: readonly FieldProblem[] }

/** What comes of a wrong code. */
const WHY: Readonly<Record<RefusalCode, string>> = {
  student_not_found: 'Fees would be collected for somebody who is not your student.',
  student_discontinued: 'Debits of a student who has left would go on.',
  student_transferred: 'Debits would go on under the old branch.',
  data_error: 'Debits would be made from data that you know to be wrong.',
}

export function judgeFound({ answer, differences }: FetchResult, identifier: string): Verdict {
  if (answer.kind === 'refused')
    return failed(
      `Your ERP answered ${answer.code} for ${identifier}. Answer 200 with the record of an active student, or name another identifier.`,
    )
  if (answer.kind === 'unavailable') return failed(answer.message)
  const { profile, identity, fees } = answer.record
  const [first] = differences
  if (first !== undefined)
    return failed(
      `The record was understood, but a fetch would not take all of it: ${first.key} ${first.message}.`,
    )
  return passed(`Understood: ${profile.fullname}, grade ${identity.grade}, ${fees.length} fee components.`)
}

export function judgeRefusal(wanted: RefusalCode, identifier: string, answer: ErpAnswer): Verdict {
  const shape = `422 with {"status": "error", "code": "${wanted}", "message": …}`
  if (answer.kind === 'found')
    return failed(`Your ERP answered 200 with a record for ${identifier}. Answer ${shape}. ${WHY[wanted]}`)
  if (answer.kind === 'unavailable')
    return failed(
      answer.reason === 'http_status'
        ? `Your ERP answered ${answer.httpStatus} for ${identifier}. Answer ${shape}: any other status counts as your ERP being away.`
        : answer.message,
    )
  if (answer.code !== wanted)
    return failed(`Your ERP answered ${answer.code} for ${identifier}. Answer ${shape}. ${WHY[wanted]}`)
  return passed(`Parents will read: ${answer.message}`)
}

export function judgeProtection(httpStatus: number | null): Verdict {
  if (httpStatus === 401 || httpStatus === 403) return passed(`Refused with ${httpStatus}.`)
  if (httpStatus === null) return failed('No answer came to a call without credentials. Answer 401.')
  return failed(
    `Your ERP answered ${httpStatus} to a call without credentials. Answer 401: otherwise anybody who knows the address reads your students.`,
  )
}

type Year = Pick<ErpRecord['identity'], 'academicYearStart' | 'academicYearEnd'>

/** `next`: what was answered for the year after. */
export function judgeYear(year: Year, same: FetchResult, next: FetchResult): Verdict {
  if (!next.url.includes('academic_year_start='))
    return failed(
      'Your ERP is not asked for a year. Switch on the lookup parameters academic_year_start and academic_year_end: after the year’s end nothing else tells it which record is meant.',
    )
  if (
    same.answer.kind !== 'found' ||
    same.answer.record.identity.academicYearStart !== year.academicYearStart
  )
    return failed(
      `Asked for the year ${yearText(year)} by name, your ERP did not answer with the record of that year. Answer for the year that is asked for.`,
    )
  const { answer } = next
  const wanted = { academicYearStart: year.academicYearStart + 1, academicYearEnd: year.academicYearEnd + 1 }
  if (answer.kind === 'refused' && answer.code === 'student_not_found')
    return passed(`There is no record of ${yearText(wanted)} yet, and your ERP says so.`)
  if (answer.kind === 'found' && answer.record.identity.academicYearStart === wanted.academicYearStart)
    return passed(`Each year has its own record: ${yearText(year)} and ${yearText(wanted)}.`)
  if (answer.kind === 'found')
    return failed(
      `Asked for the year ${yearText(wanted)}, your ERP answered with the record of ${yearText(answer.record.identity)}. Answer for the year that is asked for, and student_not_found for a year without a record: debits of the old year would be skipped after its end.`,
    )
  return failed(
    answer.kind === 'refused'
      ? `Asked for the year ${yearText(wanted)}, your ERP answered ${answer.code}. Answer with that year’s record, or student_not_found while there is none.`
      : answer.message,
  )
}

function yearText({ academicYearStart, academicYearEnd }: Year): string {
  return `${academicYearStart}-${academicYearEnd}`
}

/** What came back, in a line. */
export function describeAnswer(answer: ErpAnswer): string {
  switch (answer.kind) {
    case 'found':
      return `${answer.record.profile.fullname}, grade ${answer.record.identity.grade}, ${yearText(answer.record.identity)}`
    case 'refused':
      return `${answer.code}: ${answer.message}`
    default:
      return answer.message
  }
}

/** Null when a genuine delivery was accepted. */
export function judgeAccepted({ httpStatus, received }: Exchange): Verdict | null {
  if (httpStatus === null) return failed(`No answer came: ${received} Answer 2xx within 15 seconds.`)
  if (httpStatus >= 200 && httpStatus < 300) return null
  if (httpStatus === 401 || httpStatus === 403)
    return failed(
      `Your receiver answered ${httpStatus} to a genuine delivery. Compute the signature over the raw body, before anything parses it, with the secret_key of this webhook.`,
    )
  return failed(
    `Your receiver answered ${httpStatus} to a genuine delivery. Answer 2xx once the event is stored; anything else is sent again for three days.`,
  )
}

/** Null when a delivery that is not genuine was refused. */
export function judgeRefused({ httpStatus, received }: Exchange, what: string): Verdict | null {
  if (httpStatus === null) return failed(`No answer came to a delivery ${what}: ${received} Answer 401.`)
  if (httpStatus >= 400 && httpStatus < 500) return null
  if (httpStatus < 300)
    return failed(
      `Your receiver answered ${httpStatus} to a delivery ${what}: anybody could send you payments. Verify webhook-signature, or X-Signature, over the raw body and answer 401.`,
    )
  return failed(`Your receiver answered ${httpStatus} to a delivery ${what}. Refuse it with 401.`)
}

type Json = { [name: string]: unknown }

/** The school and student that the events are made up for. */
export type CheckSubject = {
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
export function makeEvent(code: EventCode, about: CheckSubject, sequence: number): MadeUp {
  return seal(code, about, sequence, exampleOf(code, about))
}

/** A payment of its own amount, all of it for the first component of the example. */
export function makePayment(
  code: EventCode,
  about: CheckSubject,
  sequence: number,
  parts: Json = {},
): MadeUp {
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
export function makeRefund({ payload: paid }: MadeUp, about: CheckSubject, sequence: number): MadeUp {
  const { refund, ...example } = exampleOf('refund.processed', about)
  return seal('refund.processed', about, sequence, {
    ...example,
    order_id: paid['order_id'],
    service_student_id: paid['service_student_id'],
    payment: paid['payment'],
    refund: withAmount(refund as Json, REFUNDED),
  })
}

function exampleOf(code: EventCode, about: CheckSubject): Json {
  const example = exampleEvent(code, about)
  return { ...example, ...ofStudent(example, about) }
}

function seal(code: EventCode, { now }: CheckSubject, sequence: number, parts: Json): MadeUp {
  const payload = { ...parts, added_in_a_later_version: true }
  const eventId = newId('evt')
  const event = { eventId, eventCode: code, timestamp: Math.floor(now.getTime() / 1_000), sequence }
  const text = deliveryBody({ ...event, payloadJson: JSON.stringify(payload) })
  return { eventId, body: Buffer.from(text), payload }
}

function orderOf({ details, ...order }: Json, { record }: CheckSubject): Json {
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

function ofStudent(
  { student, service_student_id: exampleId }: Json,
  { record, studentId }: CheckSubject,
): Json {
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

/** What an ERP shows of its books, by payment: the only way to see from outside that something was booked once. */
type Booking = { type: string; id: string; amountPaise: Paise | null; shown: string }
export type Books = { kind: 'read'; bookings: readonly Booking[] } | { kind: 'unreadable'; message: string }
export type Expected = { type: 'payment' | 'refund'; id: string; amountPaise: Paise }

const SHAPE =
  '200 with {"status": "success", "data": {"bookings": [{"type": "payment", "id": "pay_…", "amount": 12345.67}]}}'

export function readBookings(httpStatus: number, body: Buffer): Books {
  const unreadable = { kind: 'unreadable', message: `bookings_url has to answer ${SHAPE}` } as const
  if (httpStatus !== 200)
    return { ...unreadable, message: `${unreadable.message}; it answered ${httpStatus}` }
  try {
    const { data } = parseAnswer(body) as { data?: { bookings?: unknown } }
    const rows = data?.bookings
    if (!Array.isArray(rows)) return unreadable
    return { kind: 'read', bookings: rows.map(readBooking) }
  } catch {
    return unreadable
  }
}

function readBooking(row: unknown): Booking {
  const { type, id, amount } = (row ?? {}) as Record<string, unknown>
  return { type: String(type), id: String(id), amountPaise: parseRupees(amount), shown: String(amount) }
}

const ONCE = {
  payment: 'drop a repeat by event_id, and make payment.id the key of a booking',
  refund: 'make refund.id the key of its booking',
}

type Difference = {
  message: string
  /** Something is missing, and an ERP that answers first may book it yet. */
  mayPass: boolean
}

/** What differs from what the events said; null when the books are right. */
export function differenceIn(bookings: readonly Booking[], expected: readonly Expected[]): Difference | null {
  for (const { type, id, amountPaise } of expected) {
    const rows = bookings.filter(row => row.type === type && row.id === id)
    const [row] = rows
    const what = `${type === 'payment' ? 'Payment' : 'Refund'} ${id} of ${formatRupees(amountPaise)}`
    if (row === undefined)
      return { message: `${what} was delivered and accepted, and is not in your books.`, mayPass: true }
    if (rows.length > 1) return wrong(`${what} is in your books ${rows.length} times: ${ONCE[type]}.`)
    if (row.amountPaise !== amountPaise)
      return wrong(
        `${what} is in your books with ${row.shown}: read amounts as decimals, exact to the paisa.`,
      )
  }
  const other = bookings.find(row => !expected.some(one => one.type === row.type && one.id === row.id))
  if (other === undefined) return null
  return wrong(
    `${other.type} ${other.id} of ${other.shown} is in your books besides: book each payment and refund once, by its id.`,
  )
}

function wrong(message: string): Difference {
  return { message, mayPass: false }
}
