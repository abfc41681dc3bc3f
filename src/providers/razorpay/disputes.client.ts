import { unavailable } from '../../platform/errors.ts'
import { type Call, isObject } from '../http.ts'
import type { PaymentAtProvider, DisputeReport, Report } from '../port.ts'
import { reportOfDispute } from './reports.ts'
import {
  type Dispute,
  type Event,
  type RazorpayPayment,
  readDispute,
  readItems,
  readLinks,
  readPayment,
  readRefund,
  type ReconItem,
} from './shapes.ts'
import { addAll } from '../../platform/lists.ts'

/** What an event about a dispute says. */
export async function readDisputeEvent(call: Call, event: Event): Promise<Report[]> {
  if (!isInRupees(event.entity('payment'))) return []
  const payment = readPayment(event.entity('payment'), 'payload.payment.entity')
  const dispute = readDispute(event.entity('dispute'), 'payload.dispute.entity')
  const ours = await ownerOf(call, payment)
  if (ours === null) return []
  return [reportOfDispute(dispute, ours, event.createdAt)]
}

/** A refund that does not carry our notes was made in the dashboard; it may be of a payment of ours all the same. */
export async function readUnasked(call: Call, event: Event): Promise<Report[]> {
  if (!event.has('payment') || !isInRupees(event.entity('payment')) || !isInRupees(event.entity('refund')))
    return []
  const refund = readRefund(event.entity('refund'), 'payload.refund.entity')
  const ours =
    refund.notes.mandateId === null
      ? await ownerOf(call, readPayment(event.entity('payment'), 'payload.payment.entity'))
      : null
  if (ours === null) return []
  const { id: providerRef, amountPaise, bankReference: utr } = refund
  return [{ about: 'unasked_refund', ...ours, providerRef, amountPaise, utr, at: event.createdAt }]
}

/** The payment of ours that a refund without our notes gives back, in a pay-out; null when it is nobody's of ours. */
export async function findRefunded(call: Call, { type, paymentId, notes }: ReconItem) {
  if (type !== 'refund' || paymentId === null || notes.refundId !== null || notes.mandateId !== null)
    return null
  const path = `/v1/payments/${encodeURIComponent(paymentId)}`
  const payment = await call('GET', path, answer => (isInRupees(answer) ? readPayment(answer) : null))
  return payment === null ? null : ownerOf(call, payment)
}

/** The account may serve others too, in any currency. */
function isInRupees(payment: unknown): boolean {
  return isObject(payment) && payment['currency'] === 'INR'
}

/** The payment of ours of which a lost dispute took something, in a pay-out; null when it is none, or nobody's of ours. */
export async function findDisputed(call: Call, { disputeId, paymentId }: ReconItem) {
  if (disputeId === null || paymentId === null) return null
  const path = `/v1/payments/${encodeURIComponent(paymentId)}`
  return ownerOf(call, await call('GET', path, readPayment))
}

/** Whether an attempt inherits its link's notes is not documented; its link is found by it in any case. */
async function ownerOf(
  call: Call,
  { id, notes }: RazorpayPayment,
): Promise<{ instituteId: number; paymentId: string } | null> {
  if (notes.instituteId !== null && notes.paymentId !== null)
    return { instituteId: notes.instituteId, paymentId: notes.paymentId }
  const [link, ...more] = await call(
    'GET',
    `/v1/payment_links?payment_id=${encodeURIComponent(id)}`,
    readLinks,
  )
  const instituteId = link?.notes.instituteId ?? null
  // More than one: the filter was ignored, and none of them is known to be it.
  if (link === undefined || more.length > 0 || instituteId === null || link.referenceId === '') return null
  return { instituteId, paymentId: link.referenceId }
}

/** What is disputed of a payment. `paidId`: its own id of the payment. */
export async function readDisputes(
  call: Call,
  paidId: string,
  { instituteId, paymentId }: PaymentAtProvider,
): Promise<DisputeReport[]> {
  const payment = await call('GET', `/v1/payments/${encodeURIComponent(paidId)}`, readPayment)
  const disputes = await listDisputes(call, payment)
  return disputes.map(one => reportOfDispute(one, { instituteId, paymentId }, one.createdAt))
}

const DISPUTES_PAGE = 100
const MAX_DISPUTE_PAGES = 10

/** The list cannot be filtered; the newest come first, and none is older than its payment. */
async function listDisputes(call: Call, payment: RazorpayPayment): Promise<Dispute[]> {
  const found: Dispute[] = []
  for (let page = 0; page < MAX_DISPUTE_PAGES; page++) {
    const path = `/v1/disputes?count=${DISPUTES_PAGE}&skip=${page * DISPUTES_PAGE}`
    const disputes = await call('GET', path, answer => readItems(answer, readDispute))
    addAll(
      found,
      disputes.filter(one => one.paymentId === payment.id),
    )
    const oldest = disputes.at(-1)
    if (disputes.length < DISPUTES_PAGE || oldest === undefined || oldest.createdAt < payment.createdAt)
      return found
  }
  throw unavailable('Razorpay lists too many disputes to find one.')
}
