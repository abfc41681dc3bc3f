import { totalOf, type OrderToPay } from '../orders/orders.rules.ts'
import { assert, assertNever } from '../platform/assert.ts'
import { dayOf, addWorkingDays, type Holidays } from '../platform/calendar.ts'
import { ZERO, type Paise, minPaise, paiseOf, subtractPaise } from '../platform/money.ts'
import type {
  BILL_MODE,
  CREDIT_MODE,
  Rail,
  PaymentAtProvider,
  PaymentMode,
  PaymentOutcome,
  ProviderName,
  TransferMode,
} from '../providers/port.ts'

export type PaymentState = 'created' | 'pending' | 'captured' | 'failed'

export type Payment = {
  instituteId: number
  id: string
  orderId: string
  /** The id under which the provider knows it, where one payment at the bank pays several orders. */
  groupId: string | null
  provider: ProviderName
  accountId: string
  state: PaymentState
  amountPaise: Paise
  mode: string
  providerRef: string | null
  redirectUrl: string | null
  transactionId: string | null
  failureCode: string | null
  failureMessage: string | null
  isDuplicate: boolean
  createdAt: Date
  capturedAt: Date | null
  /** A payment that is split between bank accounts has it with its last part. */
  settlementId: string | null
  isSplit: boolean
  checks: number
}

/** Names the account that money goes through. */
export type AccountRef = { provider: ProviderName; accountId: string }

/** An intent to pay all of an order. */
export function newPayment(
  instituteId: number,
  order: OrderToPay,
  {
    id,
    provider,
    accountId,
    mode,
    at,
    groupId = null,
  }: AccountRef & {
    id: string
    groupId?: string | null
    mode: PaymentMode | Rail | TransferMode | typeof CREDIT_MODE | typeof BILL_MODE
    at: Date
  },
): Payment {
  return {
    instituteId,
    id,
    orderId: order.id,
    groupId,
    provider,
    accountId,
    state: 'created',
    amountPaise: totalOf(order),
    mode,
    providerRef: null,
    redirectUrl: null,
    transactionId: null,
    failureCode: null,
    failureMessage: null,
    isDuplicate: false,
    createdAt: at,
    capturedAt: null,
    settlementId: null,
    isSplit: false,
    checks: 0,
  }
}

/** Names a payment to its provider, by its group where several are paid together. */
export function atProvider({
  instituteId,
  id,
  groupId,
  providerRef,
}: Pick<Payment, 'instituteId' | 'id' | 'groupId' | 'providerRef'>): PaymentAtProvider {
  return { instituteId, paymentId: groupId ?? id, providerRef }
}

export const PAYMENT_MODES: readonly PaymentMode[] = ['upi', 'card', 'netbanking']

/** Which move leads where. A failed one may still be captured: banks report late, and money wins. */
const MOVES: Record<PaymentState, readonly PaymentState[]> = {
  created: ['pending', 'captured', 'failed'],
  pending: ['captured', 'failed'],
  failed: ['captured'],
  captured: [],
}

export type Decision =
  | { kind: 'nothing' }
  | { kind: 'pending' }
  | { kind: 'fail'; code: string; message: string }
  | { kind: 'capture'; outcome: Extract<PaymentOutcome, { kind: 'captured' }>; isDuplicate: boolean }
  | { kind: 'mismatch'; reportedPaise: Paise }

/** Why a payment under way waits: money came with another amount than asked. */
export const AMOUNT_DIFFERS = 'amount_differs'

/** Why money that came waits: nobody is asked for it, and the account number that it came to is closed. */
export const ACCOUNT_CLOSED = 'account_closed'
/** The same for money of somebody who never sent any for the student, at a school that wants to look at it first. */
export const UNKNOWN_REMITTER = 'unknown_remitter'

/** An institute may have chosen at the provider that the payer bears its fee: it comes on top and is none of the amount. */
export function paysExactly(
  { amountPaise, feePaise = ZERO }: { amountPaise: Paise; feePaise?: Paise | undefined },
  askedPaise: Paise,
): boolean {
  return amountPaise === askedPaise || amountPaise - feePaise === askedPaise
}

/** What a report does to a payment. Reports come late, twice and in any order; only a lawful move moves it. */
export function decide(
  payment: Payment,
  outcome: PaymentOutcome,
  isOrderPaid: boolean,
  /** All that is paid together with it. */
  askedPaise: Paise = payment.amountPaise,
): Decision {
  const can = (to: PaymentState): boolean => MOVES[payment.state].includes(to)
  switch (outcome.kind) {
    case 'open':
      return { kind: 'nothing' }
    case 'pending':
      return can('pending') ? { kind: 'pending' } : { kind: 'nothing' }
    case 'failed':
      return can('failed')
        ? { kind: 'fail', code: outcome.code, message: outcome.message }
        : { kind: 'nothing' }
    case 'captured':
      if (!can('captured')) return { kind: 'nothing' }
      if (!paysExactly(outcome, askedPaise)) return { kind: 'mismatch', reportedPaise: outcome.amountPaise }
      return { kind: 'capture', outcome, isDuplicate: isOrderPaid }
    default:
      return assertNever(outcome)
  }
}

/**
 * Whether a report tells nothing that is not known of a payment as it was read. Moves lead one way, so what moves nothing
 * then moves nothing later. What is paid together may have to catch up with the first of them.
 */
export function isNoNews(payment: Payment, outcome: PaymentOutcome): boolean {
  return payment.groupId === null && decide(payment, outcome, false).kind === 'nothing'
}

/** States are data; a move that is not in the table is our bug. */
export function assertMove(from: PaymentState, to: PaymentState): void {
  assert(MOVES[from].includes(to), `a payment cannot move from ${from} to ${to}`)
}

/** When the provider's money reaches the institute: T+1 working day. */
export function settleDueOn(capturedAt: Date, holidays: Holidays): string {
  return addWorkingDays(dayOf(capturedAt), 1, holidays)
}

const CHECK_AFTER_MS = [60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000]

/** The reconciler asks soon at first and then ever more rarely, never stopping while it is unknown. */
export function nextCheck(checks: number, now: Date): Date {
  const wait = CHECK_AFTER_MS[Math.min(checks, CHECK_AFTER_MS.length - 1)] ?? 60_000
  return new Date(now.getTime() + wait)
}

const DEBIT_AT_BANK_MS = 4 * 3_600_000

/** A debit is made by a mandate: no payer is at a page of the provider. */
export const isDebit = ({ mode }: Pick<Payment, 'mode'>): boolean =>
  mode === 'enach' || mode === 'upi_autopay'

/** A debit that its bank has is decided on one of the next working days: nobody waits for each hour of them. */
export function nextCheckOf(payment: Payment, now: Date): Date {
  const { state, checks } = payment
  const isAtBank = state === 'pending' && isDebit(payment)
  const isAskedOften = checks < CHECK_AFTER_MS.length - 1
  return isAtBank && !isAskedOften ? new Date(now.getTime() + DEBIT_AT_BANK_MS) : nextCheck(checks, now)
}

const CHECKS_AFTER_FAILURE = 8

/** Some providers let a payer try again on the page of a failed payment, so it is asked about for some hours more. */
export function checkAfterFailure(checks: number, now: Date): Date | null {
  return checks < CHECKS_AFTER_FAILURE ? nextCheck(checks, now) : null
}

/** How a provider says that its page takes nothing any more. */
const PAGE_OVER = ['expired', 'cancelled']

/**
 * Whether a provider's page on which nothing is being paid should take nothing any more: its order needs no money, another
 * payment took its place, or nobody will ask about it again.
 */
export function shouldClosePage(
  { redirectUrl, state }: Pick<Payment, 'redirectUrl' | 'state'>,
  now: { outcome: PaymentOutcome; isOrderOpen: boolean; isGivenUp: boolean; isLastCheck: boolean },
): boolean {
  const { outcome, isOrderOpen, isGivenUp, isLastCheck } = now
  const isIdle = outcome.kind === 'open' || (outcome.kind === 'failed' && !PAGE_OVER.includes(outcome.code))
  if (redirectUrl === null || state === 'captured' || !isIdle) return false
  return !isOrderOpen || isGivenUp || isLastCheck
}

/** Codes of payments that we gave up ourselves, while the payer may still be at the provider's page. */
export const ABANDONED = 'abandoned'
export const TAKEN_OVER = 'taken_over'

/** One that the payer never took up at the provider is given up after a while, so that another can start. */
export const ABANDONED_AFTER_MS = 30 * 60_000

/** A payer who started at the bank's page and of whom the bank has reported nothing keeps others from starting so long. */
const START_HELD_MS = 10 * 60_000

export function heldUntil({ createdAt }: Pick<Payment, 'createdAt'>): Date {
  return new Date(createdAt.getTime() + START_HELD_MS)
}

/** What the bank shows the payer. */
export function describeOrders(orders: readonly OrderToPay[]): string {
  const who = orders.flatMap(order => order.studentName ?? order.identifier ?? [])
  return who.length === 0 ? 'Fees' : `Fees for ${who.join(', ')}`
}

const PAGE_LASTS_MS = 24 * 3_600_000
const SHORTEST_PAGE_MS = 20 * 60_000

/** Until when a provider's page may take the payment: as long as the order is open, a day at most. Providers want some time. */
export function payableUntil({ expiresAt }: Pick<OrderToPay, 'expiresAt'>, now: Date): Date {
  const latest = now.getTime() + PAGE_LASTS_MS
  const open = Math.min(expiresAt?.getTime() ?? latest, latest)
  return new Date(Math.max(open, now.getTime() + SHORTEST_PAGE_MS))
}

type Line = { componentType: string; amountPaise: Paise }

/**
 * The lines of an order for the amount that came in the place of what it asks for. Of less, the earlier lines are paid first:
 * they stand in the order in which dues are paid. What is more stands on the last line, and the one who takes it in decides what
 * becomes of it.
 */
export function linesOfAmount(lines: readonly Line[], amountPaise: Paise): Line[] {
  let left = amountPaise
  const paid: Line[] = []
  for (const { componentType, amountPaise: asked } of lines) {
    const part = minPaise(asked, left)
    left = subtractPaise(left, part)
    if (part > 0) paid.push({ componentType, amountPaise: part })
  }
  const last = paid.at(-1)
  if (left > 0 && last !== undefined) last.amountPaise = paiseOf(last.amountPaise + left)
  return paid
}
