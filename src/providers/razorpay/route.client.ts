import { DAY_MS, dayOf, startOfDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { addAll } from '../../platform/lists.ts'
import { type Paise, paiseOf, subtractPaise, sumPaise, ZERO } from '../../platform/money.ts'
import { type Call, type Fields, isObject, readObject, readOptionalText, readText } from '../http.ts'
import {
  type LinkedPart,
  ProviderRefused,
  type SettlementItem,
  type SettlementReport,
  type SplitPort,
} from '../port.ts'
import { readItems, readMoment, readNotes, readPaise } from './shapes.ts'

/**
 * Route: other bank accounts of the school are linked accounts, and a payment link says what of it is transferred to them.
 * Whether a linked account is activated is told of its product, so people enter the ids of both.
 */
export function createSplits(begin: () => Call): SplitPort {
  return {
    idLabel: 'Linked account and its Route product (acc_…/acc_prd_…)',
    idHelp:
      'The answers of the API that made the linked account have both ids; Razorpay has to switch Route on for you first.',
    idPattern: /^acc_[A-Za-z0-9]+\/acc_prd_[A-Za-z0-9]+$/,
    async readLinked({ linkedId }) {
      const [account = '', product = ''] = linkedId.split('/')
      const path = `/v2/accounts/${encodeURIComponent(account)}/products/${encodeURIComponent(product)}`
      const status = await begin()('GET', path, value =>
        readText(readObject(value, 'product'), 'activation_status', 'product'),
      )
      if (status === 'activated') return { isVerified: true }
      return { isVerified: false, problem: `Razorpay has this linked account as ${status}.` }
    },
  }
}

const accountOf = (linkedId: string): string => linkedId.split('/')[0] ?? ''

type Notes = Readonly<Record<string, string>>

/** What a payment link says of linked accounts; nothing where all of it stays. */
export function toTransfers(parts: readonly LinkedPart[] = [], notes: Notes = {}): Fields {
  if (parts.length === 0) return {}
  const transfers = parts.map(({ linkedId, amountPaise }) => {
    return { account: accountOf(linkedId), amount: amountPaise, currency: 'INR', notes }
  })
  return { order: { transfers } }
}

export type RouteTransfer = {
  id: string
  /** The payment, or its order. */
  source: string
  recipient: string
  amountPaise: Paise
  reversedPaise: Paise
  notes: ReturnType<typeof readNotes>
  settlement: { id: string; utr: string | null; settledAt: Date } | null
}

function readTransfer(value: unknown, at: string): RouteTransfer {
  const transfer = readObject(value, at)
  const settlement: unknown = transfer['recipient_settlement']
  return {
    id: readText(transfer, 'id', at),
    source: readText(transfer, 'source', at),
    recipient: readText(transfer, 'recipient', at),
    amountPaise: readPaise(transfer, 'amount', at),
    reversedPaise: readPaise(transfer, 'amount_reversed', at),
    notes: readNotes(transfer['notes']),
    settlement: isObject(settlement)
      ? {
          id: readText(settlement, 'id', at),
          utr: readOptionalText(settlement, 'utr', at),
          settledAt: readMoment(settlement, 'created_at', at),
        }
      : null,
  }
}

type Reversal = {
  id: string
  amountPaise: Paise
  createdAt: Date
  notes: ReturnType<typeof readNotes>
}

function readReversal(value: unknown, at: string): Reversal {
  const reversal = readObject(value, at)
  return {
    id: readText(reversal, 'id', at),
    amountPaise: readPaise(reversal, 'amount', at),
    createdAt: readMoment(reversal, 'created_at', at),
    notes: readNotes(reversal['notes']),
  }
}

const PAGE = 100
const MAX_PAGES = 1_000
/** What is settled on a day was transferred then or some days before. */
const LOOKS_BACK_MS = 10 * DAY_MS

/** Transfers of the days up to this one, with what they were settled by. */
export async function listTransfers(begin: () => Call, day: string): Promise<RouteTransfer[]> {
  const start = startOfDay(day).getTime()
  const found = new Map<string, RouteTransfer>()
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      from: String(Math.floor((start - LOOKS_BACK_MS) / 1_000)),
      to: String(Math.floor((start + DAY_MS) / 1_000) - 1),
      count: String(PAGE),
      skip: String(page * PAGE),
      'expand[]': 'recipient_settlement',
    })
    const listed = await begin()('GET', `/v1/transfers?${query}`, value => readItems(value, readTransfer))
    for (const transfer of listed) found.set(transfer.id, transfer)
    if (listed.length < PAGE) return [...found.values()]
  }
  throw unavailable('Razorpay lists too many transfers.')
}

async function transfersOf(call: Call, paymentId: string): Promise<RouteTransfer[]> {
  const path = `/v1/payments/${encodeURIComponent(paymentId)}/transfers`
  return call('GET', path, value => readItems(value, readTransfer))
}

async function reversalsOf(call: Call, { id, reversedPaise }: RouteTransfer): Promise<Reversal[]> {
  if (reversedPaise === 0) return []
  const path = `/v1/transfers/${encodeURIComponent(id)}/reversals`
  return call('GET', path, value => readItems(value, readReversal))
}

/** Takes back from linked accounts what a refund gives back of them; once, found again by the notes of the reversal. */
export async function reverseParts(
  call: Call,
  paymentId: string,
  { refundId, parts, notes }: { refundId: string; parts: readonly LinkedPart[]; notes: Notes },
): Promise<void> {
  if (parts.length === 0) return
  const transfers = await transfersOf(call, paymentId)
  for (const { linkedId, amountPaise } of parts) {
    const transfer = transfers.find(one => one.recipient === accountOf(linkedId))
    if (transfer === undefined)
      throw new ProviderRefused(`Razorpay has transferred nothing of this payment to ${accountOf(linkedId)}.`)
    const known = (await reversalsOf(call, transfer)).filter(one => one.notes.refundId === refundId)
    if (known.length > 0) continue
    await call('POST', `/v1/transfers/${encodeURIComponent(transfer.id)}/reversals`, asReversal, {
      body: { amount: amountPaise, notes },
    })
  }
}

const asReversal = (value: unknown): Reversal => readReversal(value, 'reversal')

/** What linked accounts gave back of a refund of ours, each by its reversal. */
export async function reversedFor(
  call: Call,
  paymentId: string,
  refundId: string,
): Promise<{ recipient: string; reversal: Reversal }[]> {
  const found: { recipient: string; reversal: Reversal }[] = []
  for (const transfer of await transfersOf(call, paymentId)) {
    const own = (await reversalsOf(call, transfer)).filter(one => one.notes.refundId === refundId)
    addAll(
      found,
      own.map(reversal => ({ recipient: transfer.recipient, reversal })),
    )
  }
  return found
}

/** What was transferred of a payment. */
export function transferredOf(
  transfers: readonly RouteTransfer[],
  { paymentId, orderId }: { paymentId: string; orderId: string | null },
): Paise {
  const own = transfers.filter(({ source }) => source === paymentId || source === orderId)
  return sumPaise(own.map(one => one.amountPaise))
}

const NOBODY = 0

/** What reached linked accounts on a day, by its UTR. */
export function reportTransfers(
  transfers: readonly RouteTransfer[],
  day: string,
  linkedIds: readonly string[],
): SettlementReport[] {
  const groups = new Map<string, SettlementReport & { items: SettlementItem[] }>()
  for (const { id, recipient, amountPaise, notes, settlement } of transfers) {
    const linkedId = linkedIds.find(one => accountOf(one) === recipient)
    if (linkedId === undefined || settlement === null || dayOf(settlement.settledAt) !== day) continue
    const instituteId = notes.instituteId ?? NOBODY
    const utr = settlement.utr ?? settlement.id
    const key = `${instituteId} ${utr}`
    const group = groups.get(key) ?? {
      instituteId,
      utr,
      settledAt: settlement.settledAt,
      linkedId,
      items: [],
    }
    group.items.push({
      kind: 'payment',
      ourId: notes.paymentId ?? '',
      providerRef: id,
      payOutId: settlement.id,
      amountPaise,
      // The account that takes the payment bears the charges.
      feePaise: ZERO,
    })
    groups.set(key, group)
  }
  return [...groups.values()]
}

/**
 * What a linked account gave back. Razorpay does not tell in which of its pay-outs that is taken off, so each reversal stands
 * under its own number.
 */
export function reportReversal(
  { recipient, reversal }: { recipient: string; reversal: Reversal },
  linkedIds: readonly string[],
): SettlementReport | null {
  const linkedId = linkedIds.find(one => accountOf(one) === recipient)
  const { id, amountPaise, createdAt, notes } = reversal
  if (linkedId === undefined || notes.instituteId === null || notes.refundId === null) return null
  const item = {
    kind: 'refund',
    ourId: notes.refundId,
    providerRef: id,
    amountPaise,
    feePaise: ZERO,
  } as const
  return { instituteId: notes.instituteId, utr: id, settledAt: createdAt, linkedId, items: [item] }
}

/** What is left of an amount when some of it is elsewhere. */
export function withoutPart(amountPaise: Paise, elsewherePaise: Paise): Paise {
  return elsewherePaise > amountPaise ? paiseOf(0) : subtractPaise(amountPaise, elsewherePaise)
}
