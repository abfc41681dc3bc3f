import { outputOf } from '../../http/wire/output.ts'
import type { PaymentRecord } from '../../payments/payments.service.ts'
import { refundAnswerFields } from '../../payments/refund.schemas.ts'
import type { Dispute } from '../../payments/disputes/disputes.rules.ts'
import type { Refund } from '../../payments/refunds/refunds.rules.ts'
import type { MessageRecord } from './detail.store.ts'
import { stateAt, type OrderKind } from '../../orders/orders.rules.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import { formatRupees } from '../../platform/money.ts'
import type { AuditRow } from '../audit/audit.service.ts'
import type { OrderDetail } from './orders.service.ts'

/** What an order's page lists, and what stands behind the entries of its timeline. */
const payment = outputOf<PaymentRecord, unknown>()
export const paymentOutput = payment.object({
  id: payment.text('Its id.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  provider: payment.text('Through whom.', 'sandbox'),
  status: payment.oneOf(['created', 'pending', 'captured', 'failed'], 'How far it is.', one => one.state),
  amount: payment.amount('In rupees.', 45000),
  mode: payment.text('How.', 'upi'),
  transaction_id: payment.optional.text('Of the bank.', 'T2611151002'),
  provider_ref: payment.optional.text("The provider's name for it.", 'bank_42'),
  failure_code: payment.optional.text('Why it failed, as a code.', 'insufficient_funds'),
  failure: payment.optional.text('Why it failed.', 'The bank declined.', one => one.failureMessage),
  is_duplicate: payment.flag('Paid a second time; it goes back by itself.', false),
  started_at: payment.moment('When the payer began, UTC.', '2026-11-15T04:31:00.000Z', one => one.createdAt),
  paid_at: payment.optional.moment(
    'When it was paid, UTC.',
    '2026-11-15T04:32:10.000Z',
    one => one.capturedAt,
  ),
  settle_due_on: payment.optional.day('When it should reach the bank.', '2026-11-16'),
  settlement_id: payment.optional.text('Of the settlement.', 'stl_01k9zq4m0ve8sbn6yt2hw3c5da'),
  settlement_utr: payment.optional.text('Of the transfer to the bank.', 'HDFCR52026111600042'),
  settled_at: payment.optional.moment('When it reached the bank, UTC.', '2026-11-16T06:00:00.000Z'),
})

const refund = outputOf<Refund, unknown>()
export const refundRowOutput = refund.object({
  ...refundAnswerFields,
  payment_id: refund.text('Of which payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  kind: refund.oneOf(
    ['requested', 'duplicate', 'returned'],
    'Asked for, of a second payment, or taken back by the bank.',
  ),
  failure: refund.optional.text('Why it failed.', 'The account is closed.', one => one.failureMessage),
  requested_at: refund.moment('When it was asked for, UTC.', '2026-11-17T06:00:00.000Z'),
})

const dispute = outputOf<Dispute, unknown>()
export const disputeOutput = dispute.object({
  id: dispute.text('At the provider.', 'disp_EsIAlDcoUr8CaQ', one => one.providerRef),
  dispute_id: dispute.text('Here.', 'dsp_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.id),
  payment_id: dispute.text('Of which payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: dispute.oneOf(
    ['open', 'under_review', 'action_required', 'won', 'lost', 'closed'],
    'How far it is.',
    one => one.state,
  ),
  amount: dispute.amount('What is disputed, in rupees.', 45000),
  deducted: dispute.amount('What a lost one took, in rupees.', 0),
  reason: dispute.text("The provider's own code.", 'chargeback'),
  phase: dispute.text('As the provider names it.', 'chargeback'),
  respond_by: dispute.optional.moment('Until when it can be answered, UTC.', '2026-11-24T18:30:00.000Z'),
  opened_at: dispute.moment('When it was told, UTC.', '2026-11-17T06:00:00.000Z'),
  changed_at: dispute.moment('When it last changed, UTC.', '2026-11-18T06:00:00.000Z'),
})

const message = outputOf<MessageRecord, unknown>()
const messageOutput = message.object({
  id: message.text('Its id.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'),
  channel: message.text('How.', 'email'),
  recipient: message.text('To whom.', 'asha@example.in'),
  status: message.oneOf(['queued', 'sent', 'failed'], 'How far it is.', one => one.state),
  created_at: message.moment('When it was written, UTC.', '2026-11-15T04:00:00.000Z'),
  sent_at: message.optional.moment('When it left, UTC.', '2026-11-15T04:00:05.000Z'),
  failure: message.optional.text('Why it did not.', 'No such mailbox.'),
})

/** Everything that happened to an order, as one reads it: newest first, with who did it, why, and the data behind it. */
export type TimelineEntry = {
  id: string
  at: Date
  title: string
  tone: 'good' | 'waiting' | 'bad' | 'plain'
  by?: string | undefined
  why?: string | undefined
  raw?: unknown
}

export function timelineOf(order: OrderDetail, now: Date): TimelineEntry[] {
  const { payments, refunds, disputes, messages, events, audit } = order
  const acts = audit.map(entry => actOf(entry, order.kind))
  const told = (what: string): boolean => audit.some(entry => entry.what === what)
  const all = [
    ...(told('order.created') ? [] : [createdOf(order)]),
    ...payments.flatMap(paymentHappenings),
    ...settledOf(payments),
    // Who asked for a refund stands in the act; one that came by itself or by the API has none.
    ...refunds.flatMap(refund => refundHappenings(refund, audit)),
    ...disputes.flatMap(disputeHappenings),
    ...(told('order.cancelled') ? [] : closedOf(order, now)),
    ...messages.map(messageOf),
    ...acts,
    ...events.map(event => ({
      id: event.id,
      at: event.occurredAt,
      title: `Event ${event.code}`,
      tone: 'plain' as const,
      raw: event.payload,
    })),
  ]
  // An event is recorded after what it tells of, so the list's order decides between equal moments.
  return all
    .map((happening, index) => ({ happening, index }))
    .toSorted((one, two) => two.happening.at.getTime() - one.happening.at.getTime() || two.index - one.index)
    .map(({ happening }) => happening)
}

function createdOf({ id, createdAt, file, pageTitle }: OrderDetail): TimelineEntry {
  const from =
    file !== null
      ? ` out of the file ${file.name}, row ${file.row}`
      : pageTitle !== null
        ? ` on the payment page “${pageTitle}”`
        : ''
  return {
    id: `${id}.created`,
    at: createdAt,
    title: `Created${from}`,
    tone: 'plain',
    raw: { order_id: id },
  }
}

const MODES: Record<string, string> = {
  upi: 'UPI',
  card: 'card',
  netbanking: 'net banking',
  bharat_connect: 'Bharat Connect',
}

function modeWords(mode: string): string {
  return MODES[mode] ?? mode
}

function paymentHappenings(payment: PaymentRecord): TimelineEntry[] {
  const amount = formatRupees(payment.amountPaise)
  const by = modeWords(payment.mode)
  const raw = paymentOutput.toJson(payment, undefined)
  const started: TimelineEntry = {
    id: `${payment.id}.started`,
    at: payment.createdAt,
    title: `The payer began to pay ${amount} by ${by}`,
    tone: payment.state === 'created' || payment.state === 'pending' ? 'waiting' : 'plain',
    raw,
  }
  if (payment.state === 'failed') {
    const why = payment.failureMessage ?? payment.failureCode ?? 'The bank gave no reason.'
    return [{ ...started, title: `A try to pay ${amount} by ${by} failed`, tone: 'bad', why }]
  }
  if (payment.capturedAt === null) return [started]
  return [
    started,
    {
      id: `${payment.id}.captured`,
      at: payment.capturedAt,
      title: payment.isDuplicate ? `${amount} paid a second time by ${by}` : `${amount} paid by ${by}`,
      tone: payment.isDuplicate ? 'waiting' : 'good',
      raw,
    },
  ]
}

function settledOf(payments: readonly PaymentRecord[]): TimelineEntry[] {
  return payments.flatMap(({ id, settledAt, settlementUtr, settlementId }) =>
    settledAt === null
      ? []
      : [
          {
            id: `${id}.settled`,
            at: settledAt,
            title: `Settled to bank, UTR ${settlementUtr ?? 'unknown'}`,
            tone: 'good' as const,
            raw: { payment_id: id, settlement_id: settlementId, utr: settlementUtr },
          },
        ],
  )
}

const ENDS: Partial<Record<Dispute['state'], { title: string; tone: TimelineEntry['tone'] }>> = {
  won: { title: 'The dispute was won', tone: 'good' },
  lost: { title: 'The dispute was lost', tone: 'bad' },
  closed: { title: 'The dispute was closed', tone: 'plain' },
}

function disputeHappenings(dispute: Dispute): TimelineEntry[] {
  const { providerRef: id, openedAt, changedAt, reason, respondBy } = dispute
  const raw = disputeOutput.toJson(dispute, undefined)
  const until =
    respondBy === null ? '' : ` It can be answered at the provider until ${formatDay(dayOf(respondBy))}.`
  const title = `The payer disputes ${formatRupees(dispute.amountPaise)} at the bank`
  const end = ENDS[dispute.state]
  const opened: TimelineEntry = {
    id: `${id}.opened`,
    at: openedAt,
    title,
    tone: end === undefined ? 'bad' : 'plain',
    why: `Reason: ${reason}.${until}`,
    raw,
  }
  return end === undefined ? [opened] : [opened, { id: `${id}.ended`, at: changedAt, ...end, raw }]
}

function refundHappenings(refund: Refund, audit: readonly AuditRow[]): TimelineEntry[] {
  const amount = formatRupees(refund.amountPaise)
  const raw = refundRowOutput.toJson(refund, undefined)
  const isActed = audit.some(entry => refundIdOf(entry) === refund.id)
  const why = refund.kind === 'duplicate' ? 'It was paid twice.' : (refund.reason ?? undefined)
  const asked: TimelineEntry[] = isActed
    ? []
    : [
        {
          id: `${refund.id}.asked`,
          at: refund.requestedAt,
          title:
            refund.kind === 'returned' ? `The bank took ${amount} back` : `Refund of ${amount} asked for`,
          tone: refund.kind === 'returned' ? 'bad' : 'waiting',
          why,
          raw,
        },
      ]
  if (refund.state === 'processed' && refund.kind !== 'returned' && refund.processedAt !== null) {
    const title = `${amount} given back to the payer${refund.utr === null ? '' : `, UTR ${refund.utr}`}`
    return [...asked, { id: `${refund.id}.done`, at: refund.processedAt, title, tone: 'good', raw }]
  }
  return asked
}

function refundIdOf({ what, after }: AuditRow): string | undefined {
  return what === 'order.refunded' ? (after as { refund_id?: string } | null)?.refund_id : undefined
}

function closedOf(order: OrderDetail, now: Date): TimelineEntry[] {
  const state = stateAt(order, now)
  const at = order.closedAt ?? (state === 'expired' ? order.expiresAt : null)
  if (at === null || (state !== 'expired' && state !== 'cancelled')) return []
  const title = state === 'expired' ? 'Expired unpaid' : closedWord(order.kind)
  return [{ id: `${order.id}.closed`, at, title, tone: 'plain' }]
}

function closedWord(kind: OrderKind): string {
  return kind === 'link' ? 'Cancelled' : 'Closed'
}

const CHANNELS: Record<string, string> = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp message' }

function messageOf(message: MessageRecord): TimelineEntry {
  const { id, channel, recipient, state, createdAt, sentAt, failure } = message
  const noun = CHANNELS[channel] ?? channel
  const words = { queued: 'is on its way to', sent: 'sent to', failed: 'could not be sent to' }[state]
  return {
    id,
    at: sentAt ?? createdAt,
    title: `${noun} ${words} ${recipient}`,
    tone: state === 'failed' ? 'bad' : state === 'queued' ? 'waiting' : 'plain',
    why: state === 'sent' ? undefined : (failure ?? undefined),
    raw: messageOutput.toJson(message, undefined),
  }
}

const ACTS: Record<string, string> = {
  'order.created': 'Created',
  'order.sent': 'Sent again',
  'order.refunded': 'Refund asked for',
  'approval.asked': 'Approval asked for',
  'approval.approved': 'Approved',
  'approval.declined': 'Request declined',
  'approval.withdrawn': 'Request withdrawn',
}

function actOf(entry: AuditRow, kind: OrderKind): TimelineEntry {
  const isClosed = entry.what === 'order.cancelled'
  return {
    id: entry.id,
    at: entry.at,
    title: isClosed ? closedWord(kind) : (ACTS[entry.what] ?? entry.what),
    tone: entry.what === 'order.refunded' ? 'waiting' : 'plain',
    by: askedBy(entry) ?? entry.actorName,
    why: entry.why ?? undefined,
    raw: { what: entry.what, before: entry.before, after: entry.after, request_id: entry.requestId },
  }
}

/** A refund that a second person approved was asked for by the first; who approved it has a line of their own. */
function askedBy({ what, after }: AuditRow): string | undefined {
  return what === 'order.refunded' ? (after as { asked_by?: string } | null)?.asked_by : undefined
}
