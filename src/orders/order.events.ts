import { defineEvent } from '../events/define-event.ts'
import { outputOf } from '../http/wire/output.ts'
import { linkOutput, orderOutput } from './order.output.ts'
import { ORDER_ID } from './order.input.ts'
import type { Order } from './orders.rules.ts'

const out = outputOf<{ order: Order }, Date>()
const order_id = out.text('Id of the order or link.', ORDER_ID, ({ order }) => order.id)

/** What events about an order or link carry: its id and its whole read view. */
export const ofOrder = {
  order_id,
  order: out.one('The pay order, as Get Pay Order answers it.', orderOutput),
}
export const ofLink = { order_id, order: out.one('The link, as Get Payment Link answers it.', linkOutput) }

const UNPAID = {
  transaction_id: undefined,
  paid_at: undefined,
  refunded_amount: undefined,
  service_student_id: undefined,
  receipt_number: undefined,
  receipt_url: undefined,
  details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
}
const unpaidLink = out.object(ofLink)

/** Events about payments of a link are in payments/payment.events.ts. */
export const linkEvents = {
  'payment_link.payment.expired': defineEvent('A payment link passed its expiry unpaid.', unpaidLink, {
    order: { ...UNPAID, status: 'expired', expires_at: '2026-11-15T04:32:10.000Z' },
  }),
  'payment_link.payment.cancelled': defineEvent('A payment link is cancelled.', unpaidLink, {
    order: { ...UNPAID, status: 'cancelled' },
  }),
}
