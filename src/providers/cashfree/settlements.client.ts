import { DAY_MS, parseDay, startOfDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { type Call, isObject, readObject, RECON_PAGE } from '../http.ts'
import { type Connection, find, readOurId } from './connection.ts'
import { feeOf } from './reports.ts'
import * as shapes from './shapes.ts'
import { creditRefOf } from './virtual-accounts.client.ts'
import type { SettlementItem, SettlementReport, UnaskedRefund } from '../port.ts'

const MAX_PAGES = 4_000

/** Read whole before the first report: a pay-out's events stand on any page. */
export async function* readSettlements({ begin }: Connection, day: string): AsyncGenerator<SettlementReport> {
  if (parseDay(day) === null) throw new Error(`${day} is not a day`)
  const start = startOfDay(day)
  const filters = {
    start_date: start.toISOString(),
    end_date: new Date(start.getTime() + DAY_MS - 1_000).toISOString(),
  }
  const events = new Map<string, shapes.ReconEvent>()
  let cursor: string | null = null
  for (let page = 0; ; page++) {
    if (page === MAX_PAGES) throw unavailable('Cashfree lists too many settled events for one day.')
    const body = { pagination: { limit: RECON_PAGE.items, cursor }, filters }
    const listed: ReturnType<typeof shapes.readReconPage> = await begin()(
      'POST',
      '/settlement/recon',
      shapes.readReconPage,
      { body, maxBytes: RECON_PAGE.bytes },
    )
    for (const event of listed.events) events.set(`${event.type} ${event.id} ${event.settlementId}`, event)
    if (listed.cursor === null || listed.events.length === 0) break
    if (listed.cursor === cursor) throw unavailable('Cashfree gives the same page of its settlements again.')
    cursor = listed.cursor
  }
  const named: NamedEvent[] = []
  for (const event of events.values()) named.push({ ...event, refunded: await findRefunded(begin(), event) })
  yield* groupByPayout(named)
}

/** `refunded`: the payment of ours that somebody refunded at Cashfree itself. */
type NamedEvent = shapes.ReconEvent & { refunded: Awaited<ReturnType<typeof findRefunded>> }

/** Events of an account that belong to no institute of ours. */
const NOBODY = 0

/**
 * Events under their UTR and institute. All the reports under one UTR add up to what reached the bank, so nothing is left
 * out: what is not under an id of ours, and adjustments, stand under institute 0, money in as a payment and
 * money out as a refund. A pay-out whose UTR is not told yet stands under its settlement id.
 */
function groupByPayout(events: readonly NamedEvent[]): SettlementReport[] {
  const groups = new Map<string, SettlementReport & { items: SettlementItem[] }>()
  for (const event of events) {
    const utr = event.utr ?? event.settlementId
    const { refunded, refundId } = event
    const { instituteId, ourId, dispute } = refunded === null ? ownerOf(event) : { ...refunded, ourId: '' }
    const key = `${instituteId} ${utr}`
    const group = groups.get(key) ?? { instituteId, utr, settledAt: event.settledAt, items: [] }
    group.items.push({
      kind: event.isCredit ? 'payment' : 'refund',
      ourId,
      providerRef: creditOf(event) ?? event.id,
      payOutId: event.settlementId,
      amountPaise: event.amountPaise,
      feePaise: feeOf(event),
      ...(refunded !== null && refundId !== null
        ? { unasked: { paymentId: refunded.id, providerRef: refundId } }
        : ourId === '' && event.cashfreePaymentId !== null
          ? { transactionId: event.cashfreePaymentId }
          : {}),
      ...(creditOf(event) !== null && event.bankReference !== null
        ? { bankReference: event.bankReference }
        : {}),
      ...(dispute === undefined ? {} : { dispute }),
      ...(ourId === '' && isRupee(event) ? { isRegistration: true } : {}),
    })
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Our name for a transfer to an account number. */
function creditOf({ type, isCredit, group, orderId }: shapes.ReconEvent): string | null {
  const isTransfer = type === 'PAYMENT' && isCredit && group === 'vba_transfer'
  return isTransfer && orderId !== null ? creditRefOf(orderId) : null
}

const RUPEE = 100
const SUBSCRIPTION_ORDER = 'SUBV2ODR'

/** What authorising a UPI mandate costs, and its way back, under an order of Cashfree's own. */
function isRupee({ amountPaise, orderId, type }: shapes.ReconEvent): boolean {
  const isPaidOrBack = type === 'PAYMENT' || type === 'REFUND'
  return amountPaise === RUPEE && isPaidOrBack && orderId?.startsWith(SUBSCRIPTION_ORDER) === true
}

/** Entries of a dispute that was lost; a dispute that was won comes back in and is nobody's payment. */
const DISPUTED = /CHARGEBACK|DISPUTE|ARBITRATION/

function ownerOf({ type, isCredit, orderId, refundId }: shapes.ReconEvent): {
  instituteId: number
  ourId: string
  dispute?: SettlementItem['dispute']
} {
  if (!isCredit && DISPUTED.test(type)) {
    const paid = readOurId(orderId, 'pay')
    const dispute = { paymentId: paid?.id ?? '', providerRef: null }
    return { instituteId: paid?.instituteId ?? NOBODY, ourId: '', dispute }
  }
  const ours =
    type === 'PAYMENT' && isCredit
      ? readOurId(orderId, 'pay')
      : type === 'REFUND' && !isCredit
        ? readOurId(refundId, 'rfd')
        : null
  return { instituteId: ours?.instituteId ?? NOBODY, ourId: ours?.id ?? '' }
}

/**
 * Refunds that somebody made at Cashfree itself, of payments of ours. Those that Cashfree makes by itself, of an attempt that
 * succeeded too late, give back what was never counted here.
 */
const BY_A_PERSON = 'MERCHANT_INITIATED'

/** Reads the callback about a refund; null when we asked for it, it was not made, or the payment is unknown. */
export function reportOfUnasked(event: shapes.Event): UnaskedRefund | null {
  if (event.type === 'REFUND_STATUS_WEBHOOK') {
    const data = readObject(event.data['refund'], 'data.refund')
    return isByPerson(data) ? toReport(data, data['order_id'], event.at) : null
  }
  return event.type === 'SUBSCRIPTION_REFUND_STATUS'
    ? toReport(event.data, event.data['payment_id'], event.at)
    : null
}

function isByPerson(data: unknown): boolean {
  return isObject(data) && data['refund_type'] === BY_A_PERSON
}

function toReport(data: shapes.Event['data'], paid: unknown, at: Date): UnaskedRefund | null {
  const ours = typeof paid === 'string' ? readOurId(paid, 'pay') : null
  if (ours === null || data['refund_status'] !== 'SUCCESS') return null
  const refund = shapes.readRefund(data, 'refund')
  if (readOurId(refund.refundId, 'rfd') !== null) return null
  return {
    about: 'unasked_refund',
    instituteId: ours.instituteId,
    paymentId: ours.id,
    providerRef: refund.refundId,
    amountPaise: refund.amountPaise,
    utr: refund.bankReference,
    at: refund.processedAt ?? at,
  }
}

/** The payment of ours that a refund in a pay-out gives back, if a person made it; null otherwise. */
async function findRefunded(call: Call, { type, isCredit, orderId, refundId }: shapes.ReconEvent) {
  const ours = readOurId(orderId, 'pay')
  if (type !== 'REFUND' || isCredit || ours === null || refundId === null) return null
  if (readOurId(refundId, 'rfd') !== null) return null
  const path = `/orders/${encodeURIComponent(orderId ?? '')}/refunds/${encodeURIComponent(refundId)}`
  return (await find(call, path, isByPerson)) === true ? ours : null
}
