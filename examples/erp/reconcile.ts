import type { Books } from './books.ts'
import type { Bursar, WebhookEvent } from './bursar.ts'
import { toPaise } from './money.ts'
import { take } from './receive.ts'

/** Once a day: takes the events that no webhook brought, and compares every transfer to the bank with the books. */
export async function reconcile(bursar: Bursar, books: Books): Promise<string[]> {
  await catchUp(bursar, books)
  const differences: string[] = []
  for await (const { id } of bursar.listSettlements({ limit: 200 }))
    differences.push(...(await compare(bursar, books, id)))
  return differences
}

/** Events are kept for good and stand in the order in which they happened. */
async function catchUp(bursar: Bursar, books: Books): Promise<void> {
  const list = bursar.listEvents({ order: 'oldest', limit: 200 })
  let cursor = books.lastEventId
  for (;;) {
    const { data, nextCursor } = await list.page(cursor)
    for (const event of data) {
      take(books, event as WebhookEvent)
      books.lastEventId = event.event_id
    }
    if (nextCursor === undefined) return
    cursor = nextCursor
  }
}

async function compare(bursar: Bursar, books: Books, settlementId: string): Promise<string[]> {
  const { utr, items } = await bursar.getSettlement(settlementId, { limit: 200 })
  return items.flatMap(({ type, id, payment_id, amount }) => {
    const booked = books.findPayment(payment_id)
    if (booked === null) return [`${utr}: payment ${payment_id} of ${amount} is not in the books`]
    if (type === 'payment' && booked.paise !== toPaise(amount))
      return [`${utr}: payment ${payment_id} is ${amount} there and ${booked.paise} paise here`]
    // Money that went back: a refund by its id, or a debit that the bank returned.
    const isKnown =
      type === 'payment' ||
      booked.is_returned === 1 ||
      books.refundsOf(payment_id).some(refund => refund.refund_id === id)
    return isKnown ? [] : [`${utr}: ${amount} of payment ${payment_id} went back and the books do not say so`]
  })
}
