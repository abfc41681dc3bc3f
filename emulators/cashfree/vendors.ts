import type { EmulatorAnswer, Fields } from '../server.ts'
import { found, newNumber, refuse, timeOf, type Books } from './books.ts'
import type { VendorRow, VendorSplit } from './entities.ts'

/** Easy Split: vendors, what belongs to them, and what they were paid. */
export function readVendor(books: Books, id: string): EmulatorAnswer {
  const vendor = books.vendors.get(id)
  return found(vendor === undefined ? undefined : { vendor_id: id, name: id, ...vendor }, 'vendor')
}

export function sumOf(splits: readonly VendorSplit[]): number {
  return splits.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100
}

/** Cashfree takes only vendors that are active, and no more than there is. */
export function flawOfSplits(books: Books, splits: readonly VendorSplit[], amount: number): string | null {
  const unknown = splits.find(({ vendor_id: id }) => books.vendors.get(id)?.status !== 'ACTIVE')
  if (unknown !== undefined) return `vendor ${unknown.vendor_id} is not active`
  return sumOf(splits) > amount ? 'the sum of splits is greater than the amount' : null
}

export function recordVendors(
  books: Books,
  splits: readonly VendorSplit[],
  { orderId, entityId, isCredit }: { orderId: string; entityId: string; isCredit: boolean },
): void {
  const at = clockOf(books)
  for (const { vendor_id: id, amount } of splits)
    books.vendorRows.push({
      amount,
      settlement_eligibility_time: at,
      merchant_order_id: orderId,
      tx_time: at,
      settled: false,
      fee: 'NA',
      tax: 'NA',
      entity_id: entityId,
      type: isCredit ? 'transaction' : 'refund',
      merchant_vendor_id: id,
      added_on_time: at,
      currency: 'INR',
      debit: isCredit ? 'NA' : String(amount),
      credit: isCredit ? String(amount) : 'NA',
    })
}

/** Pays each vendor what is its own, with a UTR each. */
export function settleVendors(books: Books): Map<string, string> {
  const open = Map.groupBy(
    books.vendorRows.filter(row => !row.settled),
    row => row.merchant_vendor_id,
  )
  const utrs = new Map<string, string>()
  for (const [vendorId, rows] of open) {
    const utr = newNumber()
    const settlement = { settled: true, settlement_id: Number(newNumber()), settlement_utr: utr }
    for (const row of rows) Object.assign(row, settlement, { settlement_time: clockOf(books) })
    utrs.set(vendorId, utr)
  }
  return utrs
}

export function listVendorRecon(books: Books, body: Fields): EmulatorAnswer {
  const { pagination = {}, filters = {} } = body as Record<string, Fields>
  const limit = Number(pagination['limit'])
  const [from, to] = [filters['start_date'], filters['end_date']].map(date => Date.parse(String(date)))
  if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to) || !(limit > 0))
    return refuse(400, 'filters_invalid', 'filters : start_date and end_date are needed')
  const vendorId = filters['merchant_vendor_id']
  const all = books.vendorRows.filter(row => {
    const at = Date.parse(`${row.added_on_time.replace(' ', 'T')}+05:30`)
    return row.merchant_vendor_id === vendorId && at >= from && at <= to
  })
  const cursor = pagination['cursor']
  const start = typeof cursor === 'string' ? Number(cursor) : 0
  const next = start + limit < all.length ? String(start + limit) : null
  const data: VendorRow[] = all.slice(start, start + limit)
  return { status: 200, body: { cursor: next, limit: data.length, data } }
}

/** As Easy Split writes it: in India, without saying so. */
function clockOf(books: Books): string {
  return timeOf(books).slice(0, 19).replace('T', ' ')
}
