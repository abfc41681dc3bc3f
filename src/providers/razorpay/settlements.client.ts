import { parseDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { type Paise, paiseOf, sumPaise } from '../../platform/money.ts'
import { type Call, RECON_PAGE, isObject } from '../http.ts'
import {
  ProviderRefused,
  type SettlementItem,
  type SettlementReport,
  type PaymentAtProvider,
  type DisputeReport,
  type Report,
} from '../port.ts'
import * as shapes from './shapes.ts'
import {
  type RazorpayRefund,
  readItems,
  readRefund,
  type Dispute,
  type Event,
  type RazorpayPayment,
  readDispute,
  readLinks,
  readPayment,
  type ReconItem,
} from './shapes.ts'
import { reportOfDispute } from './reports.ts'
import {
  listTransfers,
  reportReversal,
  reportTransfers,
  reversedFor,
  transferredOf,
  withoutPart,
} from './route.client.ts'
import { addAll } from '../../platform/lists.ts'

const MAX_ITEM_PAGES = 4_000

/** Read whole before the first report: a pay-out's items stand on any page. */
export async function* readSettlements(
  begin: () => Call,
  day: string,
  linkedIds: readonly string[] = [],
): AsyncGenerator<SettlementReport> {
  if (parseDay(day) === null) throw new Error(`${day} is not a day`)
  const [year = '', month = '', date = ''] = day.split('-')
  const items = new Map<string, shapes.ReconItem>()
  for (let page = 0; ; page++) {
    if (page === MAX_ITEM_PAGES) throw unavailable('Razorpay lists too many settled items for one day.')
    const count = String(RECON_PAGE.items)
    const query = new URLSearchParams({
      year,
      month,
      day: date,
      count,
      skip: String(page * RECON_PAGE.items),
    })
    const listed = await begin()(
      'GET',
      `/v1/settlements/recon/combined?${query}`,
      answer => shapes.readItems(answer, shapes.readReconItem),
      { maxBytes: RECON_PAGE.bytes },
    )
    // Items that arrive meanwhile move others to the next page, where they are seen again.
    for (const item of listed) items.set(`${item.type} ${item.entityId} ${item.settlementId}`, item)
    if (listed.length < RECON_PAGE.items) break
  }
  const transfers = linkedIds.length === 0 ? [] : await listTransfers(begin, day)
  const kept: NamedItem[] = []
  const reversed: SettlementReport[] = []
  for (const item of items.values()) {
    // Moved between the school's own accounts: it stands with its payment or refund.
    if (linkedIds.length > 0 && isOwnMove(item)) continue
    if (await isGivenBack(begin(), item)) continue
    const refunded = await findRefunded(begin(), item)
    const back = linkedIds.length === 0 ? [] : await findReversed(begin(), item)
    addAll(
      reversed,
      back.flatMap(one => reportReversal(one, linkedIds) ?? []),
    )
    const elsewherePaise =
      item.type === 'payment'
        ? transferredOf(transfers, { paymentId: item.entityId, orderId: item.orderId })
        : sumPaise(back.map(one => one.reversal.amountPaise))
    const disputed = await findDisputed(begin(), item)
    kept.push({ ...item, refunded, disputed, elsewherePaise })
  }
  yield* groupByPayout(kept)
  yield* reportTransfers(transfers, day, linkedIds)
  yield* reversed
}

/** A transfer of ours to a linked account, or what came back of it. */
function isOwnMove({ type, entityId, notes }: shapes.ReconItem): boolean {
  const isMove = type === 'transfer' || type === 'reversal' || /^(trf|rvrsl)_/.test(entityId)
  return isMove && notes.instituteId !== null && (notes.paymentId !== null || notes.refundId !== null)
}

/** What linked accounts gave back of a refund that we asked for. */
async function findReversed(
  call: Call,
  { type, paymentId, notes }: ReconItem,
): Promise<Awaited<ReturnType<typeof reversedFor>>> {
  if (type !== 'refund' || paymentId === null || notes.refundId === null) return []
  return reversedFor(call, paymentId, notes.refundId)
}

/**
 * Whether it is the rupee of a UPI registration, or what gave it back. It is nobody's fee: it goes back to the payer as
 * soon as Razorpay has it, and the two stand in no book of ours. If it cannot go back, a person sees it.
 */
async function isGivenBack(
  call: Call,
  { type, entityId, amountPaise, notes }: shapes.ReconItem,
): Promise<boolean> {
  const { instituteId, mandateId } = notes
  if (instituteId === null || mandateId === null) return false
  if (type === 'refund') return true
  if (type !== 'payment') return false
  try {
    const ours = { institute_id: String(instituteId), mandate_id: mandateId }
    await refundOnce(call, entityId, { refundId: mandateId, amountPaise, notes: ours })
    return true
  } catch (error) {
    if (error instanceof ProviderRefused) return false
    throw error
  }
}

/** Items of an account that belongs to no institute of ours. */
const NOBODY = 0

type OurPayment = { instituteId: number; paymentId: string }

/** The payments of ours that somebody refunded at Razorpay itself, and that a lost dispute is about. */
type NamedItem = shapes.ReconItem & {
  refunded: OurPayment | null
  disputed: OurPayment | null
  /** What of it linked accounts have, or gave back. */
  elsewherePaise: Paise
}

/**
 * Items under their UTR and institute. All the reports under one UTR add up to what reached the bank, so nothing is
 * left out: items without our notes, and Razorpay's own adjustments and transfers, stand under institute 0, money in
 * as a payment and money out as a refund. A pay-out whose UTR is not told yet stands under its settlement id.
 */
function groupByPayout(items: readonly NamedItem[]): SettlementReport[] {
  const settled = items.filter(item => item.isSettled)
  const utrs = new Map(
    settled.flatMap(item =>
      item.settlementUtr === null ? [] : [[item.settlementId, item.settlementUtr] as const],
    ),
  )
  const groups = new Map<string, { report: SettlementReport; items: SettlementItem[] }>()
  for (const item of settled) {
    const utr = item.settlementUtr ?? utrs.get(item.settlementId) ?? item.settlementId
    const { instituteId, ...entry } = attribute(item)
    const key = `${instituteId} ${utr}`
    const group = groups.get(key) ?? newGroup(instituteId, utr, item.settledAt)
    group.items.push(entry)
    groups.set(key, group)
  }
  return [...groups.values()].map(group => group.report)
}

function newGroup(
  instituteId: number,
  utr: string,
  settledAt: Date,
): { report: SettlementReport; items: SettlementItem[] } {
  const items: SettlementItem[] = []
  return { report: { instituteId, utr, settledAt, items }, items }
}

function attribute(item: NamedItem): SettlementItem & { instituteId: number } {
  const { notes, refunded, disputed, disputeId } = item
  const owner = refunded ?? disputed
  const isIncoming = item.type === 'payment' || (item.type !== 'refund' && item.creditPaise > item.debitPaise)
  const ourId = item.type === 'refund' ? notes.refundId : (notes.paymentId ?? item.orderReceipt)
  const isOurs = item.type === 'payment' || item.type === 'refund'
  return {
    instituteId: owner?.instituteId ?? (isOurs && ourId !== null ? (notes.instituteId ?? NOBODY) : NOBODY),
    kind: isIncoming ? 'payment' : 'refund',
    ourId: isOurs ? (ourId ?? '') : '',
    providerRef: item.entityId,
    payOutId: item.settlementId,
    amountPaise: withoutPart(item.amountPaise, item.elsewherePaise),
    feePaise: feeOf(item, isIncoming),
    ...(disputed && { dispute: { paymentId: disputed.paymentId, providerRef: disputeId } }),
    ...(refunded && { unasked: { paymentId: refunded.paymentId, providerRef: item.entityId } }),
  }
}

/**
 * What was kept back, taken from the money that moved. In Razorpay's figures the tax stands inside the fee already,
 * and on some plans fees are billed apart and nothing is kept back: this is right in each case.
 */
function feeOf(item: shapes.ReconItem, isIncoming: boolean): Paise {
  const moved = isIncoming ? item.creditPaise - item.debitPaise : item.debitPaise - item.creditPaise
  const fee = isIncoming ? item.amountPaise - moved : moved - item.amountPaise
  if (fee < 0) throw unavailable(`Razorpay's figures for ${item.entityId} do not add up.`)
  return paiseOf(fee)
}

const REFUNDS_PAGE = 100
const MAX_REFUND_PAGES = 1_000

type Refund = { refundId: string; amountPaise: Paise; notes: Readonly<Record<string, string>> }

/** Gives a payment of Razorpay's back, in whole or in part; once, however often it is asked for. */
export async function refundOnce(call: Call, paymentId: string, asked: Refund): Promise<RazorpayRefund> {
  const path = `/v1/payments/${encodeURIComponent(paymentId)}`
  const refund = (await findRefund(call, path, asked.refundId)) ?? (await makeRefund(call, path, asked))
  if (refund.amountPaise === asked.amountPaise) return refund
  throw new ProviderRefused(`Razorpay has ${refund.id} under this refund's id with another amount.`)
}

async function findRefund(call: Call, path: string, refundId: string): Promise<RazorpayRefund | null> {
  for (let page = 0; page < MAX_REFUND_PAGES; page++) {
    const at = `${path}/refunds?count=${REFUNDS_PAGE}&skip=${page * REFUNDS_PAGE}`
    const refunds = await call('GET', at, answer => readItems(answer, readRefund))
    const found = refunds.find(({ receipt, notes }) => receipt === refundId || notes.refundId === refundId)
    if (found !== undefined) return found
    if (refunds.length < REFUNDS_PAGE) return null
  }
  throw unavailable('Razorpay lists too many refunds of one payment.')
}

/** The key guards against two of us at once, which looking first cannot. */
function makeRefund(
  call: Call,
  path: string,
  { refundId, amountPaise, notes }: Refund,
): Promise<RazorpayRefund> {
  return call('POST', `${path}/refund`, readRefund, {
    headers: { 'x-refund-idempotency': refundId },
    body: { amount: amountPaise, speed: 'normal', receipt: refundId, notes },
  })
}

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
async function findRefunded(call: Call, { type, paymentId, notes }: ReconItem) {
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
async function findDisputed(call: Call, { disputeId, paymentId }: ReconItem) {
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
