import type { Context } from '../../platform/context.ts'
import { DAY_MS, dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'
import { lockOrder } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { formatRupees, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { applyReport, findPayment } from '../../payments/payments.service.ts'
import { listMadeRefunds, refundByHand } from '../../payments/refunds/made-refunds.service.ts'
import { settleDay } from '../../payments/settlements/settlements.service.ts'
import {
  ProviderRefused,
  type PaymentOutcome,
  type Provider,
  type SettlementItem,
  type SettlementReport,
} from '../../providers/port.ts'
import { BANK_TRANSFER, NOT_REFUNDABLE, type LoanFile, type RecordedPayOut } from '../loans.rules.ts'
import type { LoanContext } from '../context.ts'
import * as store from '../loans.store.ts'
import { listUnconfirmed } from '../loans.store.ts'
import { assertUtr } from '../report-checks.rules.ts'
import { mailInstitute, mailLender } from '../loan-mails.service.ts'
import { reopenTranche } from './disbursements.service.ts'

/**
 * A lender that transfers to the institute's own bank account: no provider sees that money. The lender says that it sent
 * it, and it counts when a person of the institute has found it on the bank statement; until then it is pending. To the
 * rest of Bursar this is a provider that takes transfers and nothing else.
 */
export function createBankTransfers({ db }: Pick<Context, 'db'>): Provider {
  return {
    name: BANK_TRANSFER,
    accepts: { methods: [], minPaise: paiseOf(1), maxPaise: null },
    // One transfer may pay for several children, so the UTR names none of the payments.
    transfers: { expect: async ({ paymentId }) => ({ providerRef: paymentId }) },
    async start() {
      throw new ProviderRefused('Nobody pays by a lender\u2019s transfer at a checkout.')
    },
    readCallback: async () => null,
    async status({ instituteId, paymentId }) {
      const payOut = await store.findPayOut(db, { instituteId, paymentId })
      return { about: 'payment', instituteId, paymentId, providerRef: paymentId, outcome: outcomeOf(payOut) }
    },
    async refund() {
      throw new ProviderRefused(NOT_REFUNDABLE)
    },
    settlements: day => settlementsOf(db, day),
  }
}

function outcomeOf(payOut: RecordedPayOut | null): PaymentOutcome {
  if (payOut === null) return { kind: 'open' }
  const { receivedAt, missingAt, amountPaise, reference } = payOut
  if (receivedAt !== null)
    return { kind: 'captured', amountPaise, mode: 'loan', transactionId: reference, capturedAt: receivedAt }
  if (missingAt === null) return { kind: 'pending' }
  return { kind: 'failed', code: 'not_received', message: 'The institute did not find this transfer.' }
}

type BankTransfer = { instituteId: number; utr: string; at: Date; item: SettlementItem }

/** What reached a bank account, or left it for the lender, is settled as it is recorded, under the UTR of the transfer. */
async function* settlementsOf(
  db: Context['db'],
  day: string,
  instituteId?: number,
): AsyncIterable<SettlementReport> {
  const span = { from: startOfDay(day), before: startOfDay(dayAfter(day)), instituteId }
  const received = await store.listMoved(db, 'received_at', span)
  const moved = [...received.flatMap(movedIn), ...(await movedOut(db, span))]
  for (const ofUtr of Map.groupBy(moved, one => `${one.instituteId} ${one.utr}`).values()) {
    const [first] = ofUtr
    if (first === undefined) continue
    const items = ofUtr.map(({ item }) => item)
    yield { instituteId: first.instituteId, utr: first.utr, settledAt: first.at, items }
  }
}

function movedIn(payOut: RecordedPayOut & { instituteId: number }): BankTransfer[] {
  const { instituteId, reference: utr, receivedAt: at, paymentId, amountPaise } = payOut
  const item = {
    kind: 'payment',
    ourId: paymentId,
    providerRef: paymentId,
    amountPaise,
    feePaise: ZERO,
  } as const
  return at === null ? [] : [{ instituteId, utr, at, item }]
}

/** What never arrived of a transfer lowers the transfer itself; what was paid back has a UTR of its own. */
async function movedOut(
  db: Context['db'],
  span: Parameters<typeof store.listMoved>[2],
): Promise<BankTransfer[]> {
  const returned = await store.listMoved(db, 'returned_at', span)
  const references = new Map(returned.map(one => [one.paymentId, one.reference]))
  return (await listMadeRefunds({ db }, returned)).flatMap(refund => {
    const { instituteId, id, amountPaise, utr, paymentId, processedAt: at } = refund
    const item = { kind: 'refund', ourId: id, providerRef: id, amountPaise, feePaise: ZERO } as const
    return at === null ? [] : [{ instituteId, utr: utr ?? references.get(paymentId) ?? '', at, item }]
  })
}

/**
 * A person of the institute found a transfer on the bank statement, or did not. Each transfer that the lender reported is
 * confirmed by itself: one that was called missing and paid again may arrive all the same, and counts too. Where less
 * arrived, the rest is a refund of the payment, so that the books show what the statement shows.
 */
export async function confirmTransfer(
  ctx: LoanContext,
  command: Command<RecordedPayOut>,
  key: store.LoanKey,
  { number, isReceived, amountPaise }: { number: number; isReceived: boolean; amountPaise: Paise | null },
): Promise<RecordedPayOut> {
  await requireDirect(ctx, key, number)
  const confirmed = await transact(ctx.db, command, async tx => {
    const file = await store.lockFile(tx, key)
    const payOut = payOutOf(file, number)
    if (payOut.receivedAt !== null) throw conflict('This transfer is confirmed already.')
    const now = ctx.clock.now()
    const after = isReceived ? arrived(payOut, amountPaise, now) : { ...payOut, missingAt: now }
    await store.writeReceipt(tx, key, after)
    if (!isReceived && file !== null) await mailLender(ctx, tx, file.application, 'missing')
    return after
  })
  await applyConfirmed(ctx, key, confirmed).catch(() => {})
  return confirmed
}

/**
 * The bank's statement has the money of these references, whole: what nobody has confirmed of them is confirmed. The
 * reconciler of payments and the settlement job do what follows, as after a confirmation that was interrupted.
 */
export async function confirmByStatement(
  tx: Transaction,
  instituteId: number,
  { references, at }: { references: readonly string[]; at: Date },
): Promise<void> {
  for (const { applicationId, number } of await listUnconfirmed(tx, instituteId, references)) {
    const key = { instituteId, applicationId }
    const payOut = payOutOf(await store.lockFile(tx, key), number)
    if (payOut.receivedAt === null && payOut.missingAt === null)
      await store.writeReceipt(tx, key, arrived(payOut, null, at))
  }
}

function arrived(payOut: RecordedPayOut, amountPaise: Paise | null, now: Date): RecordedPayOut {
  const reported = payOut.amountPaise
  if (amountPaise !== null && amountPaise > reported)
    throw badField('amount', `must be at most the ${formatRupees(reported)} that the lender reported`)
  const returnedPaise = subtractPaise(reported, amountPaise ?? reported)
  const returnedAt = returnedPaise > 0 ? now : null
  return { ...payOut, receivedAt: now, missingAt: null, returnedPaise, returnedAt }
}

type Return = { number: number; amountPaise: Paise | null; reason: string; utr: string | null }

/**
 * Money of a confirmed transfer that is not the institute's: paid back to the lender from the bank account (`utr`), or
 * confirmed by mistake, in which case all of it never arrived and the lender still owes the tranche.
 */
export async function returnTransfer(
  ctx: LoanContext,
  command: Command<RecordedPayOut>,
  key: store.LoanKey,
  { number, reason, ...asked }: Return,
): Promise<RecordedPayOut> {
  await requireDirect(ctx, key, number)
  const { orderId } = payOutOf(await store.readFile(ctx.db, key), number)
  const utr = asked.utr === null ? null : assertUtr('utr', asked.utr.trim())
  const at = ctx.clock.now()
  const returned = await transact(ctx.db, command, async tx => {
    // The order first, as everywhere; the application after it.
    await lockOrder(tx, key.instituteId, orderId)
    const file = await store.lockFile(tx, key)
    const payOut = payOutOf(file, number)
    if (payOut.receivedAt === null) throw conflict('This transfer is not confirmed.')
    const leftPaise = subtractPaise(payOut.amountPaise, payOut.returnedPaise)
    const amountPaise = asked.amountPaise ?? leftPaise
    if (amountPaise > leftPaise) throw badField('amount', `must be at most ${formatRupees(leftPaise)}`)
    if (utr === null && amountPaise !== leftPaise)
      throw badField('utr', 'is needed for a part: a confirmation is taken back whole')
    await refundByHand(tx, { instituteId: key.instituteId, orderId }, { amountPaise, reason, utr, at })
    const returnedPaise = sumPaise([payOut.returnedPaise, amountPaise])
    const after = { ...payOut, returnedPaise, returnedAt: at, withdrawnAt: utr === null ? at : null }
    await store.writeReceipt(tx, key, after)
    if (utr === null && file !== null) await reopenTranche(tx, file, after)
    return after
  })
  await settleOwn(ctx, key.instituteId, at).catch(() => {})
  return returned
}

const REMIND_AFTER_MS = 2 * DAY_MS

/** Once, when nobody has looked for a transfer: until then the fees stay due, and reminders go out. */
export async function remindToConfirm(ctx: LoanContext, key: store.LoanKey): Promise<void> {
  const now = ctx.clock.now()
  const isWaiting = (one: RecordedPayOut): boolean =>
    one.receivedAt === null &&
    one.missingAt === null &&
    one.remindedAt === null &&
    now.getTime() - one.paidOutAt.getTime() > REMIND_AFTER_MS
  const file = await store.readFile(ctx.db, key)
  for (const { number, paymentId } of file?.payOuts.filter(isWaiting) ?? []) {
    const payment = await findPayment(ctx, key.instituteId, paymentId)
    if (payment?.accountId !== BANK_TRANSFER) continue
    await ctx.db.transaction(async tx => {
      const locked = await store.lockFile(tx, key)
      const payOut = payOutOf(locked, number)
      if (locked === null || !isWaiting(payOut)) return
      await store.writeReceipt(tx, key, { ...payOut, remindedAt: now })
      await mailInstitute(ctx, tx, locked.application, { payOut, isReminder: true })
    })
  }
}

function payOutOf(file: LoanFile | null, number: number): RecordedPayOut {
  const payOut = file?.payOuts.find(one => one.number === number)
  if (payOut === undefined) throw notFound('This transfer')
  return payOut
}

async function requireDirect(ctx: LoanContext, key: store.LoanKey, number: number): Promise<void> {
  const { paymentId } = payOutOf(await store.readFile(ctx.db, key), number)
  const payment = await findPayment(ctx, key.instituteId, paymentId)
  if (payment?.accountId !== BANK_TRANSFER)
    throw conflict('The payment provider reports this money by itself; nothing is to be confirmed.')
}

/** The confirmation is stored: whatever goes wrong here, the reconciler of payments and the settlement job do it later. */
async function applyConfirmed(
  ctx: LoanContext,
  { instituteId }: store.LoanKey,
  { paymentId, receivedAt }: RecordedPayOut,
): Promise<void> {
  const account = await ctx.accounts.accountOf({ instituteId, accountId: BANK_TRANSFER })
  await applyReport(ctx, await account.port.status({ instituteId, paymentId, providerRef: null }))
  if (receivedAt !== null) await settleOwn(ctx, instituteId, receivedAt)
}

async function settleOwn(ctx: LoanContext, instituteId: number, at: Date): Promise<void> {
  const account = await ctx.accounts.accountOf({ instituteId, accountId: BANK_TRANSFER })
  const port = { ...account.port, settlements: (day: string) => settlementsOf(ctx.db, day, instituteId) }
  await settleDay(ctx, { ...account, port }, dayOf(at))
}
