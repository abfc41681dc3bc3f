import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SignatureError, verifyWebhook } from './bursar.ts'
import type { Books, Student } from './books.ts'
import { toRupees } from './money.ts'
import { take } from './receive.ts'

export type Secrets = { username: string; password: string; webhookSecret: string }
type Answer = { status: number; body?: unknown }

/** What Bursar calls: GET /fetch-student and POST /webhooks; and GET /bookings, by which the integration check looks into the books. */
export function createErp(books: Books, secrets: Secrets): Server {
  return createServer((request, response) => {
    void serve(books, secrets, request, response)
  })
}

async function serve(
  books: Books,
  secrets: Secrets,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, body } = await answer(books, secrets, request)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  } catch (error) {
    // Not a 2xx: Bursar sends the event again, and nothing of it was kept.
    console.error(error)
    response.writeHead(500).end()
  }
}

async function answer(books: Books, secrets: Secrets, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://erp')
  const route = `${request.method} ${pathname}`
  if (route === 'POST /webhooks') return receive(books, secrets, request)
  if (!isBursar(request.headers.authorization, secrets)) return { status: 401 }
  if (route === 'GET /fetch-student') return fetchStudent(books, searchParams)
  if (route === 'GET /bookings') return showBookings(books, searchParams.get('payment_id') ?? '')
  return { status: 404 }
}

async function receive(books: Books, { webhookSecret }: Secrets, request: IncomingMessage): Promise<Answer> {
  const rawBody = Buffer.concat(await Array.fromAsync(request))
  try {
    take(books, verifyWebhook(rawBody, request.headers, webhookSecret))
    return { status: 200 }
  } catch (error) {
    if (error instanceof SignatureError) return { status: 401, body: { message: error.message } }
    throw error
  }
}

function fetchStudent(books: Books, query: URLSearchParams): Answer {
  // The year that is asked for, never another: after the year's end last year's record still has dues.
  const year = query.get('academic_year_start')
  const student = books.findStudent(query.get('identifier') ?? '', year === null ? null : Number(year))
  if (student === null) return refuse('student_not_found', 'This student is not in our register.')
  if (student.state === 'discontinued')
    return refuse('student_discontinued', 'The student has left the school.')
  if (student.state === 'transferred')
    return refuse('student_transferred', 'The student has moved to another branch.')
  const fees = books.feesOf(student)
  if (student.contact_email === '' || fees.length === 0)
    return refuse('data_error', 'The record of this student is not complete. Please ask the school office.')
  return { status: 200, body: { status: 'success', data: toRecord(student, fees) } }
}

function refuse(code: string, message: string): Answer {
  return { status: 422, body: { status: 'error', code, message } }
}

function toRecord(student: Student, fees: readonly { component: string; paise: number }[]): unknown {
  return {
    student: {
      fullname: student.fullname,
      identifier: student.identifier,
      grade: student.grade,
      new_admission: false,
      academic_year_start: String(student.year),
      academic_year_end: String(student.year + 1),
      date_of_birth: student.date_of_birth,
      primary_contact_name: student.contact_name,
      primary_contact_email: student.contact_email,
      primary_contact_number: student.contact_number,
    },
    // All of them, after discounts and before payments.
    fee_components: fees.map(({ component, paise }) => ({
      component_type: component,
      fee_amount: toRupees(paise),
    })),
    user: { name: student.contact_name, phone: student.contact_number },
  }
}

/** What stands in the books of one payment. */
function showBookings(books: Books, paymentId: string): Answer {
  const payment = books.findPayment(paymentId)
  const bookings = [
    ...(payment === null || payment.is_returned === 1
      ? []
      : [{ type: 'payment', id: payment.payment_id, amount: toRupees(payment.paise) }]),
    ...books.refundsOf(paymentId).map(refund => ({
      type: 'refund',
      id: refund.refund_id,
      amount: toRupees(refund.paise),
    })),
  ]
  return { status: 200, body: { status: 'success', data: { bookings } } }
}

function isBursar(authorization = '', { username, password }: Secrets): boolean {
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`)
  const given = Buffer.from(authorization)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
