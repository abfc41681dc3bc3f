import type {
  DeliveryAnswer,
  EventCode,
  WebhookAnswer,
} from '../../../../src/console/developers/webhooks.schemas.ts'
import type { Tone } from '../../ui/status-badge.tsx'

/** How a subscription fares, as people say it. */
export const HEALTH_WORDS: Record<WebhookAnswer['health'], { word: string; tone: Tone }> = {
  well: { word: 'Works', tone: 'good' },
  failing: { word: 'Failing', tone: 'bad' },
  paused: { word: 'Resting', tone: 'waiting' },
  disabled: { word: 'Disabled', tone: 'plain' },
}

export const DISABLED_WORDS: Record<NonNullable<WebhookAnswer['disabled_because']>, string> = {
  request: 'Somebody disabled it.',
  gone: 'The receiver answered 410 Gone.',
  failures: 'Nothing arrived for a day.',
}

/** Where a delivery stands. */
export const DELIVERY_WORDS: Record<DeliveryAnswer['status'], { word: string; tone: Tone }> = {
  pending: { word: 'On its way', tone: 'waiting' },
  retrying: { word: 'Will be tried again', tone: 'waiting' },
  delivered: { word: 'Delivered', tone: 'good' },
  exhausted: { word: 'Given up', tone: 'bad' },
  cancelled: { word: 'Not sent', tone: 'plain' },
}

/** What each event tells; the compiler sees to it that none is missing. */
const EVENT_WORDS: Record<EventCode, string> = {
  'masterdata.student.registered': 'A student was registered',
  'masterdata.student.dropped': 'A student was dropped',
  'masterdata.student.activated': 'A student is active again',
  'direct.payment.added': 'A payment to the institute was recorded',
  'direct.payment.updated': 'A payment to the institute was corrected',
  'direct.payment.cancelled': 'A payment to the institute was cancelled',
  'flex.subscription.setup': 'A plan is being set up',
  'flex.subscription.active': 'A plan has begun',
  'flex.subscription.updated': 'A plan has changed',
  'flex.subscription.cancelled': 'A plan was cancelled',
  'flex.subscription.closed': 'A plan is paid in full',
  'flex.mandate.cancelled': 'A mandate was withdrawn',
  'flex.mandate.expired': 'A mandate has ended',
  'flex.downpayment.debited': 'A down payment was paid',
  'flex.downpayment.settled': 'A down payment is in the bank',
  'flex.instalment.debited': 'An instalment was debited',
  'flex.instalment.settled': 'An instalment is in the bank',
  'flex.instalment.bounced': 'An instalment bounced',
  'flex.instalment.skipped': 'An instalment was not presented',
  'pay.payment.debited': 'Any payment was made',
  'pay.payment.settled': 'Any payment is in the bank',
  'order.payment.debited': 'A pay order was paid',
  'order.payment.settled': 'A pay order is in the bank',
  'payment_link.payment.debited': 'A payment link was paid',
  'payment_link.payment.settled': 'A payment link is in the bank',
  'payment_link.payment.expired': 'A payment link has expired',
  'payment_link.payment.cancelled': 'A payment link was cancelled',
  'page.payment.debited': 'A payment page was paid',
  'page.payment.settled': 'A payment page is in the bank',
  'cred.loan.application_started': 'A loan was asked for',
  'cred.loan.application_filled': 'A loan application is complete',
  'cred.loan.application_expired': 'A loan application has expired',
  'cred.loan.rejected': 'A loan was refused',
  'cred.loan.canceled': 'A loan was cancelled',
  'cred.loan.final_approved': 'A loan was approved',
  'cred.loan.agreement_signed': 'A loan agreement was signed',
  'cred.loan.disbursed': 'A loan was paid out',
  'cred.emi.debited': 'An EMI of a loan was debited',
  'refund.processed': 'A refund was paid',
  'refund.failed': 'A refund failed',
}

const EVENT_CODES = Object.keys(EVENT_WORDS) as EventCode[]

/** For choosing: the code first, which is what the ERP knows it by. */
export const EVENT_CHOICES = EVENT_CODES.map(code => ({
  value: code,
  label: `${code}: ${EVENT_WORDS[code]}`,
}))

export function eventWords(code: string): string {
  return code === 'webhook.test' ? 'A test' : ((EVENT_WORDS as Record<string, string>)[code] ?? code)
}
