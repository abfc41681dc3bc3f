/** Every event code there is. The compiler asks for the definition of a new one in webhooks/catalogue.ts. */
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
  'refund.processed',
  'refund.failed',
] as const

export type EventCode = (typeof EVENT_CODES)[number]

/** What a test delivery carries; nothing happened, so nobody subscribes to it. */
export const TEST_CODE = 'webhook.test'
export type TestCode = typeof TEST_CODE
