import { closeUnpaid } from '../../orders/order-payments.service.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { assert } from '../../platform/assert.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { formatRupees } from '../../platform/money.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import {
  BILL_MODE,
  CREDIT_MODE,
  type CreditReport,
  type PaymentOutcome,
  type SettlementReport,
} from '../../providers/port.ts'
import { providerOf, virtualAccountsOf, type PaymentContext } from '../context.ts'
import {
  ACCOUNT_CLOSED,
  newPayment,
  UNKNOWN_REMITTER,
  type AccountRef,
  type Payment,
} from '../payments.rules.ts'
import { capture, move } from '../payments.service.ts'
import { claimProviderPayment, insertPayment, movePayment } from '../payments.store.ts'
import { insertExceptions, type Exception } from '../settlements/settlements.store.ts'
import * as store from './credits.store.ts'

type CapturedOutcome = Extract<PaymentOutcome, { kind: 'captured' }>
/** `id`: of the account number that it came to; null where it came otherwise. */
type ClaimedCredit = { account: AccountRef & { id: string | null }; credit: CreditReport; paymentId: string }

/**
 * Takes a transfer for a payment that is about to be booked: once for its account, however often it is told. One that is told
 * again and does not fit what is booked changes nothing, and a person is shown it.
 */
export async function claimCredit(
  ctx: PaymentContext,
  tx: Transaction,
  claim: ClaimedCredit,
): Promise<boolean> {
  const { account, credit, paymentId } = claim
  const { instituteId, providerRef, utr, amountPaise } = credit
  const { accountId, id: virtualAccountId } = account
  const row = { instituteId, accountId, utr, virtualAccountId, providerRef, amountPaise, paymentId }
  if (await store.insertCredit(tx, row)) {
    // An account of the whole installation has the provider's name as its id, and stands under institute 0.
    const owner = accountId === account.provider ? 0 : instituteId
    const at = { instituteId: owner, accountId, providerPaymentId: providerRef }
    const countedFor = await claimProviderPayment(tx, at, paymentId)
    if (countedFor === paymentId) return true
    await store.deleteCredit(tx, row)
    await recordContradiction(ctx, tx, claim, `transfer ${utr} is counted for ${countedFor} already`)
    return false
  }
  const known = await store.findCredit(tx, row)
  assert(known !== null, `the transfer ${utr} was there a moment ago`)
  const isSame =
    known.virtualAccountId === virtualAccountId &&
    known.providerRef === providerRef &&
    known.amountPaise === amountPaise
  if (!isSame)
    await recordContradiction(ctx, tx, claim, `transfer ${utr} is booked as ${known.paymentId} already`)
  return false
}

async function recordContradiction(
  ctx: PaymentContext,
  tx: Transaction,
  { account: { provider, accountId }, credit }: ClaimedCredit,
  problem: string,
): Promise<void> {
  await insertExceptions(tx, [
    {
      instituteId: credit.instituteId,
      provider,
      accountId,
      utr: '',
      providerRef: credit.providerRef,
      problem,
      reportedPaise: credit.amountPaise,
      knownPaise: null,
      noticedAt: ctx.clock.now(),
    },
  ])
}

/** Shows a person money that nothing here was waiting for. */
export async function reportStray(
  { db, clock }: Pick<PaymentContext, 'db' | 'clock'>,
  stray: Pick<
    Exception,
    'instituteId' | 'provider' | 'accountId' | 'providerRef' | 'problem' | 'reportedPaise'
  >,
): Promise<void> {
  await insertExceptions(db, [{ ...stray, utr: '', knownPaise: null, noticedAt: clock.now() }])
}

type OrderedCredit = ClaimedCredit & { order: Order }

/** Why nobody can say the use of money: for the exception, and for the payment that waits. */
type HeldBecause = { problem: string; cameTo: string; code?: string }

/** Holds the money of a new sender where the school wants to look at it first. */
export const OF_UNKNOWN_REMITTER: HeldBecause = {
  problem: 'came from somebody who never sent money for this student',
  cameTo: 'and nobody had ever sent money for this student from there',
  code: UNKNOWN_REMITTER,
}

const TO_CLOSED_ACCOUNT: HeldBecause = {
  problem: 'came to an account number that is closed',
  cameTo: 'to an account number that is closed',
}

/**
 * Books a transfer that was claimed as the payment of an order that the caller has just made for it. There was no intent: the
 * money is there before anybody knew of it.
 */
export async function captureCredit(
  ctx: PaymentContext,
  tx: Transaction,
  { order, ...claim }: OrderedCredit,
): Promise<void> {
  const payment = await makePayment(tx, { order, ...claim })
  const decision = { kind: 'capture', outcome: outcomeOf(claim.credit), isDuplicate: false } as const
  await capture(ctx, tx, { payment, order }, decision)
  await move(ctx, tx, payment, decision)
}

/**
 * Keeps money that nobody here can say the use of: it came to an account number that is closed, say. A person takes it or gives it
 * back, as with money of a wrong amount; until then it pays nothing, and its order takes no other payment.
 */
export async function holdCredit(
  ctx: PaymentContext,
  tx: Transaction,
  { order, ...claim }: OrderedCredit,
  { problem, cameTo, code = ACCOUNT_CLOSED }: HeldBecause = TO_CLOSED_ACCOUNT,
): Promise<void> {
  const payment = await makePayment(tx, { order, ...claim })
  const { instituteId, provider, accountId } = payment
  const { amountPaise, providerRef, remitterName } = claim.credit
  const from = remitterName === null ? '' : ` from ${remitterName}`
  const message = `${formatRupees(amountPaise)} came${from} ${cameTo}.`
  const failure = { code, message }
  await movePayment(tx, payment, { state: 'failed', failure, nextCheckAt: null })
  const now = ctx.clock.now()
  await closeUnpaid(tx, instituteId, [order.id], now)
  const about = { instituteId, provider, accountId, utr: '', providerRef, noticedAt: now }
  await insertExceptions(tx, [{ ...about, problem, reportedPaise: amountPaise, knownPaise: amountPaise }])
}

async function makePayment(
  tx: Transaction,
  { account: { provider, accountId }, credit, paymentId: id, order }: OrderedCredit,
): Promise<Payment> {
  const { instituteId, providerRef, utr, amountPaise, creditedAt: at } = credit
  const mode = credit.mode ?? CREDIT_MODE
  const made = newPayment(instituteId, order, { id, provider, accountId, mode, at })
  assert(made.amountPaise === amountPaise, `${order.id} takes another sum than ${utr} brought`)
  const isMade = await insertPayment(tx, made, { orderState: 'unpaid', nextCheckAt: at })
  assert(isMade, `${order.id} was made a moment ago`)
  return { ...made, providerRef }
}

function outcomeOf({ mode, amountPaise, utr, creditedAt: capturedAt }: CreditReport): CapturedOutcome {
  return { kind: 'captured', amountPaise, mode: mode ?? CREDIT_MODE, transactionId: utr, capturedAt }
}

/** What the provider has of a transfer that was kept here; null when the payment is none, or the provider has none. */
export async function askAboutCredit(
  ctx: PaymentContext,
  payment: Pick<Payment, 'instituteId' | 'id' | 'mode' | 'accountId' | 'providerRef'>,
): Promise<CapturedOutcome | null> {
  const { instituteId, id: paymentId, providerRef, mode } = payment
  if (mode === BILL_MODE) {
    const { outcome } = await (await providerOf(ctx, payment)).status({ instituteId, paymentId, providerRef })
    return outcome.kind === 'captured' ? outcome : null
  }
  const utr = mode === CREDIT_MODE ? await store.findUtr(ctx.db, payment) : null
  if (providerRef === null || utr === null) return null
  const port = await virtualAccountsOf(ctx, payment)
  const credit = await port.findCredit({ instituteId, providerRef, utr })
  return credit === null ? null : outcomeOf(credit)
}

/** Whether whoever sent it has sent money for this student that was taken. Of somebody whom the bank does not name nobody knows. */
export async function hasSentBefore(
  db: Queryable,
  student: { instituteId: number; studentId: string },
  { remitterAccount, remitterName }: Pick<CreditReport, 'remitterAccount' | 'remitterName'>,
): Promise<boolean> {
  if (remitterAccount !== null)
    return store.hasSentBefore(db, student, { key: 'remitter_account', value: remitterAccount })
  return (
    remitterName !== null && store.hasSentBefore(db, student, { key: 'remitter_name', value: remitterName })
  )
}

/** Whether nobody had asked for this money. */
export async function isUnasked(
  db: Queryable,
  { instituteId, id, mode }: Pick<Payment, 'instituteId' | 'id' | 'mode'>,
): Promise<boolean> {
  if (mode === BILL_MODE) return true
  // A gateway's page may take transfers too, for an order.
  return mode === CREDIT_MODE && (await store.findUtr(db, { instituteId, id })) !== null
}

/** The payment that a transfer was booked as. */
export async function findCreditedPayment(
  db: Queryable,
  transfer: { instituteId: number; accountId: string; utr: string },
): Promise<string | null> {
  return (await store.findCredit(db, transfer))?.paymentId ?? null
}

/**
 * Finds the payments of transfers in a pay-out, which has the provider's number of each and nothing of ours. The provider is asked
 * about what no callback has told us of, so that money is booked before it is settled.
 */
export async function findCredited(
  ctx: PaymentContext,
  account: Account,
  { instituteId, items }: SettlementReport,
): Promise<ReadonlyMap<string, { instituteId: number; id: string }>> {
  const { virtualAccounts } = account.port
  const unnamed = items.filter(({ kind, ourId }) => kind === 'payment' && ourId === '')
  const refs = unnamed.map(({ providerRef }) => providerRef)
  if (virtualAccounts === undefined || refs.length === 0) return new Map()
  const known = await store.findByProvider(ctx.db, account, refs)
  for (const { providerRef, bankReference: utr = null } of unnamed) {
    if (known.has(providerRef)) continue
    const credit = await virtualAccounts.findCredit({ instituteId, providerRef, utr })
    if (credit !== null) await ctx.onCredit(credit, account.id)
  }
  return known.size === refs.length ? known : store.findByProvider(ctx.db, account, refs)
}
