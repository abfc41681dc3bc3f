import type { EmulatorAnswer, Fields } from '../server.ts'
import { newNumber, refuse, timeOf, type Books } from './books.ts'
import type { ReconEvent } from './entities.ts'

const CHARGE_SHARE = 0.0195
const TAX_SHARE = 0.18

/** What moved, until a pay-out takes it along. Cashfree keeps its charge and the tax on it back from money that comes in. */
export function record(
  books: Books,
  event: {
    type: string
    amount: number
    orderId?: string
    paymentId?: string
    refundId?: string
    group?: string
    utr?: string
    /** What of it belongs to vendors. */
    vendorShare?: number
  },
): void {
  const isCredit = event.type === 'PAYMENT'
  const fee = event.type === 'CHARGEBACK' ? books.habits.chargebackFee : 0
  const charge = isCredit ? round(event.amount * CHARGE_SHARE) : round(fee / (1 + TAX_SHARE))
  const tax = isCredit ? round(charge * TAX_SHARE) : round(fee - charge)
  const kept = round(charge + tax)
  const { vendorShare = 0 } = event
  const own = round(event.amount - vendorShare)
  books.unsettled.push({
    event_details: {
      event_id: newNumber(),
      event_type: event.type,
      event_settlement_amount: round(isCredit ? own - kept : own + kept),
      event_amount: event.amount,
      sale_type: isCredit ? 'CREDIT' : 'DEBIT',
      event_status: 'SUCCESS',
      entity: 'recon',
      event_time: timeOf(books),
      event_currency: 'INR',
      event_service_charge: charge,
      event_service_tax: tax,
    },
    order_details: event.orderId === undefined ? {} : { order_id: event.orderId },
    payment_details: {
      ...(event.paymentId === undefined ? {} : { cf_payment_id: event.paymentId }),
      ...(event.group === undefined ? {} : { payment_group: event.group }),
      ...(event.utr === undefined ? {} : { bank_reference: event.utr }),
    },
    refund_details: event.refundId === undefined ? [] : [{ refund_id: event.refundId }],
    vendorShare,
  })
}

function round(rupees: number): number {
  return Math.round(rupees * 100) / 100
}

/** Pays out all that moved; the UTR of the pay-out. */
export function settle(books: Books): string {
  const utr = `AXISCN${newNumber()}`
  const settlement = { cf_settlement_id: newNumber(), settlement_date: timeOf(books), settlement_utr: utr }
  const events = books.unsettled.splice(0)
  books.recon.push(
    ...events.map(({ vendorShare, ...event }): ReconEvent => {
      const ofVendors = vendorShare === 0 ? {} : { vendor_commission: vendorShare }
      return { ...event, settlement_details: { ...settlement, ...ofVendors } }
    }),
  )
  return utr
}

export function listRecon(books: Books, body: Fields): EmulatorAnswer {
  const { pagination = {}, filters = {} } = body as Record<string, Fields>
  const limit = Number(pagination['limit'])
  if (!(limit >= 10 && limit <= 1_000))
    return refuse(400, 'pagination.limit_invalid', 'limit : should be in 10 to 1000')
  const [from, to] = [filters['start_date'], filters['end_date']].map(date => Date.parse(String(date)))
  if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to))
    return refuse(400, 'filters_invalid', 'filters : start_date and end_date are needed')
  const all = books.recon.filter(({ settlement_details: { settlement_date: date } }) => {
    const at = Date.parse(date)
    return at >= from && at <= to
  })
  const start = readCursor(pagination['cursor'])
  const data = all.slice(start, start + limit)
  const next = start + limit < all.length ? Buffer.from(String(start + limit)).toString('base64') : null
  return { status: 200, body: { cursor: next, limit: data.length, data } }
}

function readCursor(cursor: unknown): number {
  return typeof cursor === 'string' ? Number(Buffer.from(cursor, 'base64').toString()) : 0
}
