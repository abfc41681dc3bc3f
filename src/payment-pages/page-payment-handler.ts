import { newEvent, type NewEvent } from '../events/define-event.ts'
import { recordEvents } from '../events/events.service.ts'
import { aboutOrder, paymentEvents, paymentInEvent } from '../payments/payment.events.ts'
import type { PaidOrder, PaymentHandler } from '../payments/payment-handler.ts'
import { pageEvents } from './page.events.ts'

type Happening = { happened: 'debited' | 'settled'; at: Date }

/** A page's payments: each has the events of every Pay payment, and one more with the page. */
export const PAGE_PAYMENT_HANDLER: PaymentHandler = {
  async captured(tx, paid, at) {
    await recordEvents(tx, eventsOf(paid, { happened: 'debited', at }))
  },
  async settled(tx, paid, at) {
    await recordEvents(
      tx,
      paid.flatMap(one => eventsOf(one, { happened: 'settled', at })),
    )
  },
  // The payer sees it at the checkout and tries again.
  failed: async () => {},
  async reversed(_tx, { payment }) {
    throw new Error(`${payment.id} pays on a page, which no bank takes back`)
  },
}

function eventsOf({ payment, order }: PaidOrder, { happened, at }: Happening): NewEvent[] {
  const { pageId } = order
  if (pageId === null) throw new Error(`the order ${order.id} lost its page`)
  const about = aboutOrder(order, payment.instituteId, at)
  const source = { order, payment: paymentInEvent(payment, order), pageId }
  return [
    newEvent(paymentEvents, `pay.payment.${happened}`, about, source),
    newEvent(pageEvents, `page.payment.${happened}`, about, source),
  ]
}
