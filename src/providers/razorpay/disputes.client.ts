import { isObject } from '../answer.ts'
import type { Call } from '../http.ts'
import { returnIdOf } from '../mandate-port.ts'
import type { Report } from '../port.ts'
import { reportOfDispute, returnOf } from './mandate-reports.ts'
import { readDispute } from './mandate-shapes.ts'
import { railOf } from './return-codes.rules.ts'
import { type Event, readLinks, readPayment, type RazorpayPayment, type ReconItem } from './shapes.ts'

/** What an event about a dispute says; a lost one over all of a debit takes the debit back. */
export async function readDisputeEvent(call: Call, event: Event): Promise<Report[]> {
  if (!isInRupees(event.entity('payment'))) return []
  const payment = readPayment(event.entity('payment'), 'payload.payment.entity')
  const dispute = readDispute(event.entity('dispute'), 'payload.dispute.entity')
  const ours = await ownerOf(call, payment)
  if (ours === null) return []
  const taken = isDebit(payment) ? returnOf(dispute, ours, event.createdAt) : null
  return [reportOfDispute(dispute, ours, event.createdAt), ...(taken === null ? [] : [taken])]
}

/** The account may serve others too, in any currency. */
function isInRupees(payment: unknown): boolean {
  return isObject(payment) && payment['currency'] === 'INR'
}

/** What a lost dispute took from a pay-out, under the name of the debit that it takes back. */
export async function nameDisputed(call: Call, item: ReconItem): Promise<ReconItem> {
  if (item.disputeId === null || item.paymentId === null) return item
  const path = `/v1/payments/${encodeURIComponent(item.paymentId)}`
  const payment = await call('GET', path, readPayment)
  const ours = await ownerOf(call, payment)
  if (ours === null || !isDebit(payment) || item.amountPaise !== payment.amountPaise) return item
  const { instituteId, paymentId } = ours
  const notes = { instituteId, paymentId, refundId: returnIdOf(paymentId), mandateId: null }
  return { ...item, type: 'refund', notes }
}

function isDebit({ tokenId, method }: RazorpayPayment): boolean {
  return tokenId !== null && railOf(method) !== null
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
