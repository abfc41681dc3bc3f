import { newEvent, type NewEvent } from '../events/define-event.ts'
import { recordEvents } from '../events/events.service.ts'
import { aboutOrder, paymentEvents, paymentInEvent } from '../payments/payment.events.ts'
import type { PaidOrder, PaymentHandler } from '../payments/payment-handler.ts'
import type { Transaction } from '../platform/db/database.ts'
import { pageEvents } from './page.events.ts'
import { findPageIds } from './pages.store.ts'

/** A page's payments: the institute is told of each as of every Pay payment, and beside it with the page. */
export const PAGE_PAYMENT_HANDLER: PaymentHandler = {
  captured: (tx, paid, at) => tell(tx, [paid], { happened: 'debited', at }),
  settled: (tx, paid, at) => tell(tx, paid, { happened: 'settled', at }),
  // The payer sees it at the checkout and tries again.
  failed: async () => {},
  async reversed(_tx, { payment }) {
    throw new Error(`${payment.id} pays on a page, which no bank takes back`)
  },
}

type Happening = { happened: 'debited' | 'settled'; at: Date }

async function tell(tx: Transaction, paid: readonly PaidOrder[], what: Happening): Promise<void> {
  const [first] = paid
  if (first === undefined) return
  // A settlement is of one institute.
  const pageIds = await findPageIds(
    tx,
    first.payment.instituteId,
    paid.map(({ order }) => order.id),
  )
  await recordEvents(
    tx,
    paid.flatMap(one => eventsOf(one, pageIds.get(one.order.id), what)),
  )
}

function eventsOf(
  { payment, order }: PaidOrder,
  pageId: string | undefined,
  { happened, at }: Happening,
): NewEvent[] {
  if (pageId === undefined) throw new Error(`the order ${order.id} lost its page`)
  const about = aboutOrder(order, payment.instituteId, at)
  const source = { order, payment: paymentInEvent(payment, order), pageId }
  return [
    newEvent(paymentEvents, `pay.payment.${happened}`, about, source),
    newEvent(pageEvents, `page.payment.${happened}`, about, source),
  ]
}
