import type { WebhookAnswer } from '../../../../src/console/developers/developers.list.ts'
import type { EventCode } from '../../../../src/console/developers/webhooks.routes.ts'
import type { DeliveryAnswer } from '../../../../src/webhooks/delivery-log/delivery.list.ts'
import type { Tone } from '../../ui/status-badge.tsx'

export const HEALTH_LABELS: Record<WebhookAnswer['health'], { label: string; tone: Tone }> = {
  well: { label: 'Works', tone: 'good' },
  failing: { label: 'Failing', tone: 'bad' },
  paused: { label: 'Resting', tone: 'waiting' },
  disabled: { label: 'Disabled', tone: 'plain' },
}

export const DISABLED_LABELS: Record<NonNullable<WebhookAnswer['disabled_because']>, string> = {
  request: 'Somebody disabled it.',
  gone: 'The receiver answered 410 Gone.',
  failures: 'Nothing arrived for a day.',
}

export const DELIVERY_LABELS: Record<DeliveryAnswer['status'], { label: string; tone: Tone }> = {
  pending: { label: 'On its way', tone: 'waiting' },
  retrying: { label: 'Will be tried again', tone: 'waiting' },
  delivered: { label: 'Delivered', tone: 'good' },
  exhausted: { label: 'Given up', tone: 'bad' },
  cancelled: { label: 'Not sent', tone: 'plain' },
}

/** What each event tells; the compiler sees to it that none is missing. */
const EVENT_LABELS: Record<EventCode, string> = {
  'masterdata.student.registered': 'A student was registered',
  'masterdata.student.dropped': 'A student was dropped',
  'masterdata.student.activated': 'A student is active again',
  'direct.payment.added': 'A payment at the school was recorded',
  'direct.payment.updated': 'A payment at the school was corrected',
  'direct.payment.cancelled': 'A payment at the school was cancelled',
  'flex.subscription.setup': 'A plan is being set up',
  'flex.subscription.active': 'A plan has begun',
  'flex.subscription.updated': 'A plan has changed',
  'flex.subscription.locked': 'An instalment plan cannot go on by itself',
  'flex.subscription.unlocked': 'A locked instalment plan goes on',
  'flex.subscription.cancelled': 'A plan was cancelled',
  'flex.subscription.closed': 'A plan is paid in full',
  'flex.mandate.cancelled': 'A mandate was withdrawn',
  'flex.mandate.expired': 'A mandate has ended',
  'flex.downpayment.debited': 'A down payment was paid',
  'flex.downpayment.settled': 'A down payment was settled',
  'flex.instalment.debited': 'An instalment was debited',
  'flex.instalment.settled': 'An instalment was settled',
  'flex.instalment.bounced': 'An instalment bounced',
  'flex.instalment.skipped': 'An instalment was not presented',
  'pay.payment.debited': 'Any payment was made',
  'pay.payment.settled': 'Any payment was settled',
  'order.payment.debited': 'A pay order was paid',
  'order.payment.settled': 'A pay order was settled',
  'payment_link.payment.debited': 'A payment link was paid',
  'payment_link.payment.settled': 'A payment link was settled',
  'payment_link.payment.expired': 'A payment link has expired',
  'payment_link.payment.cancelled': 'A payment link was cancelled',
  'page.payment.debited': 'A payment on a page was made',
  'page.payment.settled': 'A payment on a page was settled',
  'cred.loan.application_started': 'A loan was asked for',
  'cred.loan.application_filled': 'A loan application is complete',
  'cred.loan.application_expired': 'A loan application has expired',
  'cred.loan.rejected': 'A loan was refused',
  'cred.loan.canceled': 'A loan was cancelled',
  'cred.loan.final_approved': 'A loan was approved',
  'cred.loan.agreement_signed': 'A loan agreement was signed',
  'cred.loan.disbursed': 'A loan was paid out',
  'cred.emi.debited': 'An EMI of a loan was debited',
  'pay.dispute.opened': 'A payer disputes a payment',
  'pay.dispute.won': 'A dispute was won',
  'pay.dispute.lost': 'A dispute was lost',
  'virtual_account.created': 'A student was given an account number',
  'virtual_account.closed': 'The account number of a leaver was closed',
  'refund.processed': 'A refund was paid',
  'refund.failed': 'A refund failed',
}

const EVENT_CODES = Object.keys(EVENT_LABELS) as EventCode[]

/** The code comes first, because the ERP knows an event by it. */
export const EVENT_CHOICES = EVENT_CODES.map(code => ({
  value: code,
  label: `${code}: ${EVENT_LABELS[code]}`,
}))

export function eventLabel(code: string): string {
  return code === 'webhook.test' ? 'A test' : ((EVENT_LABELS as Record<string, string>)[code] ?? code)
}
