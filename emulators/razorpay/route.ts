import type { EmulatorAnswer, Fields } from '../server.ts'
import { found, newId, page, refuse, type Books } from './books.ts'
import type { Link, Notes, Payment, Reversal, RouteTransfer } from './entities.ts'

/** Route: linked accounts, transfers to them with a payment, and what is taken back. */
type AskedTransfer = { account: string; amount: number; currency: string; notes?: Notes }

function askedTransfers(link: Fields): AskedTransfer[] {
  const options = (link['options'] ?? {}) as { order?: { transfers?: AskedTransfer[] } }
  return options.order?.transfers ?? []
}

/** As documented, no more than the payment, and to accounts that are there. */
export function flawOfTransfers(books: Books, link: Fields): string | null {
  const asked = askedTransfers(link)
  const accounts = [...books.linked.keys()].map(key => key.split('/')[0])
  if (asked.some(({ account }) => !accounts.includes(account)))
    return 'The account id provided does not exist'
  const sum = asked.reduce((total, { amount }) => total + amount, 0)
  return sum > Number(link['amount'])
    ? 'The sum of amount requested for transfer is greater than the amount'
    : null
}

export function transferParts(books: Books, link: Link, payment: Payment): void {
  for (const { account, amount, notes: sent } of askedTransfers(link)) {
    const notes: Notes = sent ?? []
    const transfer: RouteTransfer = {
      id: newId('trf'),
      entity: 'transfer',
      status: 'processed',
      source: payment.id,
      recipient: account,
      amount,
      currency: 'INR',
      amount_reversed: 0,
      fees: 0,
      tax: 0,
      notes,
      linked_account_notes: [],
      on_hold: false,
      on_hold_until: null,
      settlement_status: 'pending',
      recipient_settlement_id: null,
      recipient_settlement: null,
      created_at: books.now(),
      processed_at: books.now(),
    }
    books.routed.push(transfer)
  }
}

export function listTransfers(books: Books, query: URLSearchParams): EmulatorAnswer {
  const [from, to] = [Number(query.get('from') ?? 0), Number(query.get('to') ?? Infinity)]
  const all = books.routed.filter(one => one.created_at >= from && one.created_at <= to).toReversed()
  const isExpanded = query.get('expand[]') === 'recipient_settlement'
  return page(
    all.map(one => (isExpanded ? one : { ...one, recipient_settlement: undefined })),
    query,
  )
}

export function listOfPayment(books: Books, paymentId: string, query: URLSearchParams): EmulatorAnswer {
  return page(
    books.routed.filter(one => one.source === paymentId),
    query,
  )
}

export function listReversals(books: Books, transferId: string, query: URLSearchParams): EmulatorAnswer {
  return page(
    books.reversals.filter(one => one.transfer_id === transferId),
    query,
  )
}

export function reverse(books: Books, transferId: string, body: Fields): EmulatorAnswer {
  const transfer = books.routed.find(one => one.id === transferId)
  if (transfer === undefined) return found(undefined)
  const amount = Number(body['amount'] ?? transfer.amount)
  if (transfer.amount_reversed + amount > transfer.amount)
    return refuse('The amount to be reversed is greater than what is left of the transfer.')
  transfer.amount_reversed += amount
  const reversal: Reversal = {
    id: newId('rvrsl'),
    entity: 'reversal',
    transfer_id: transferId,
    amount,
    fee: 0,
    tax: 0,
    currency: 'INR',
    notes: (body['notes'] as Notes | undefined) ?? [],
    initiator_id: null,
    customer_refund_id: null,
    created_at: books.now(),
  }
  books.reversals.push(reversal)
  return { status: 200, body: reversal }
}

/** Pays every linked account what was transferred to it; answers the UTR of each. */
export function payOutLinked(books: Books): Map<string, string> {
  const utrs = new Map<string, string>()
  const open = books.routed.filter(one => one.recipient_settlement_id === null)
  for (const [recipient, transfers] of Map.groupBy(open, one => one.recipient)) {
    const id = newId('setl')
    const utr = `UTR${id.slice(5).toUpperCase()}`
    const amount = transfers.reduce((sum, one) => sum + one.amount, 0)
    const settlement = { id, entity: 'settlement', amount, status: 'processed', fees: 0, tax: 0, utr }
    for (const one of transfers)
      Object.assign(one, {
        settlement_status: 'settled',
        recipient_settlement_id: id,
        recipient_settlement: { ...settlement, created_at: books.now() },
      })
    utrs.set(recipient, utr)
  }
  return utrs
}
