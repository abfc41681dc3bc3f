import { recordEvents } from '../events/events.service.ts'
import { eventsOfPaid } from './payment.events.ts'
import type { PaymentHandler } from './context.ts'

/** Orders and links: the institute asked for the money, so it is told, and that is all. */
export const ORDER_PAYMENT_HANDLER: PaymentHandler = {
  async captured(tx, { payment, order }, at) {
    await recordEvents(tx, eventsOfPaid({ payment, order }, { happened: 'debited', at }))
  },
  async settled(tx, paid, at) {
    await recordEvents(
      tx,
      paid.flatMap(({ payment, order }) => eventsOfPaid({ payment, order }, { happened: 'settled', at })),
    )
  },
  // The payer sees it on the page and tries again; the institute is owed nothing new.
  failed: async () => {},
  async reversed(_tx, { payment }) {
    throw new Error(`${payment.id} pays an order or link, which no bank takes back`)
  },
}
