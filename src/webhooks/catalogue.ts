import type { EventCode } from '../events/codes.ts'
import type { EventDefinition } from '../events/define-event.ts'
import { flexEvents } from '../flex/plans/plan.events.ts'
import { loanEvents } from '../loans/loan.events.ts'
import { linkEvents } from '../orders/order.events.ts'
import { pageEvents } from '../payment-pages/page.events.ts'
import { paymentEvents } from '../payments/payment.events.ts'
import { directPaymentEvents } from '../students/direct-payments/direct-payment.events.ts'
import { studentEvents } from '../students/student.events.ts'

/** Every event there is, as its feature defines it. */
const EVENTS = {
  ...studentEvents,
  ...directPaymentEvents,
  ...flexEvents,
  ...paymentEvents,
  ...linkEvents,
  ...pageEvents,
  ...loanEvents,
} satisfies Record<EventCode, EventDefinition>

export const CATALOGUE: Readonly<Record<EventCode, EventDefinition>> = EVENTS
