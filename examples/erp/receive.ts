import type { Books } from './books.ts'
import type { PaymentBlock, WebhookEvent } from './bursar.ts'
import { toPaise } from './money.ts'

/** The events that this ERP subscribes to. `pay.payment.*` covers every order, link and page. */
export const EVENT_CODES = [
  'pay.payment.debited',
  'pay.payment.settled',
  'flex.downpayment.debited',
  'flex.downpayment.settled',
  'flex.instalment.debited',
  'flex.instalment.settled',
  'flex.instalment.bounced',
  'flex.instalment.skipped',
  'flex.subscription.locked',
  'flex.subscription.cancelled',
  'refund.processed',
] as const

/** Books what an event tells, once. Called by the webhook receiver and by the daily catch-up alike. */
export function take(books: Books, event: WebhookEvent): void {
  books.once(event.event_id, () => apply(books, event))
}

function apply(books: Books, event: WebhookEvent): void {
  switch (event.event) {
    case 'pay.payment.debited':
    case 'pay.payment.settled':
    case 'flex.downpayment.debited':
    case 'flex.downpayment.settled':
      return book(books, event.payload.payment, event.payload.student)
    case 'flex.instalment.debited':
    case 'flex.instalment.settled':
      return book(books, event.payload.payment, event.payload.student, event.payload.instalment)
    case 'flex.instalment.bounced':
      // At once or late: a debit of this attempt, booked before or after this event, does not count.
      books.bookReturn(event.payload.instalment.id, event.payload.instalment.attempt)
      return books.addTask(event.payload.student.identifier, `bounced: ${event.payload.reason.message}`)
    case 'flex.instalment.skipped':
      // No money moved. It is tried again every day: somebody has to mend what our fetch-student endpoint answered.
      return books.addTask(event.payload.student.identifier, `skipped: ${event.payload.reason.code}`)
    case 'flex.subscription.locked':
    case 'flex.subscription.cancelled':
      return books.addTask(event.payload.student.identifier, event.event)
    case 'refund.processed': {
      const { refund, payment, service_student_id = null } = event.payload
      // It may be here before its payment: the sum is right once both are.
      return books.bookRefund({
        refund_id: refund.id,
        payment_id: payment.id,
        paise: toPaise(refund.amount),
        student_id: service_student_id,
      })
    }
    default:
    // Codes are added: what we do not know is none of our business.
  }
}

type Whose = { identifier: string; academic_year_start: number }

/** A settled event books too: it may be the first of its payment to arrive. */
function book(
  books: Books,
  payment: PaymentBlock,
  student: Whose | undefined,
  instalment: { id: string; attempt: number } | null = null,
): void {
  books.bookPayment({
    payment_id: payment.id,
    identifier: student?.identifier ?? null,
    year: student?.academic_year_start ?? null,
    paise: toPaise(payment.amount),
    mode: payment.mode,
    utr: payment.settlement_utr ?? null,
    instalment_id: instalment?.id ?? null,
    attempt: instalment?.attempt ?? null,
  })
}
