import type { Context } from '../platform/context.ts'
import { DAY_MS, dayAfter, dayOf, startOfDay } from '../platform/calendar.ts'
import { lockOrder } from '../orders/order-payments.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { badField, conflict, notFound } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { formatRupees, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { applyReport, findPayment } from '../payments/payments.service.ts'
import { listMadeRefunds, refundByHand, recordMadeRefund } from '../payments/refunds/made-refunds.service.ts'
import { settleDay } from '../payments/settlements/settlements.service.ts'
import {
  ProviderRefused,
  type PaymentOutcome,
  type Provider,
  type SettlementItem,
  type SettlementReport,
} from '../providers/port.ts'
import {
  assertTrancheMove,
  assertUtr,
  BANK_TRANSFER,
  type LoanFile,
  NOT_REFUNDABLE,
  type RecordedPayOut,
  reopen,
  type Tranche,
} from './loans.rules.ts'
import type { LoanContext } from './context.ts'
import * as store from './loans.store.ts'
import { listUnconfirmed } from './loans.store.ts'
import { mailInstitute, mailLender, mailBorrower } from './loan-mails.service.ts'
import type { NewEvent } from '../events/define-event.ts'
import { recordEvents } from '../events/events.service.ts'
import type { PaidOrder, PaymentHandler } from '../payments/context.ts'
import { assert } from '../platform/assert.ts'
import { totalOf } from '../orders/orders.rules.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import { loanEvent } from './loan.events.ts'
import { moveTo } from './lender-updates.service.ts'

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

/** Reports transfers from and to lenders of a day as settlements: they count as settled once recorded, under their UTR. */
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

/** Lists transfers back to lenders. Money that never arrived lowers its transfer; money paid back has a UTR of its own. */
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

/** The reconciler's code for a payment unknown to the provider; here the transfer is merely not announced yet. */
const NOT_SENT = 'abandoned'

/** Applies the bank's result for a lender's transfer to its tranche, in the transaction that records the result. */
export function disbursementPaymentHandler(ctx: Pick<LoanContext, 'clock'>): PaymentHandler {
  return {
    captured: (tx, { payment, order }, at) =>
      withTranches(tx, payment.instituteId, [payment.orderId], async (file, { tranche, payOut }) => {
        if (tranche.state === 'paid_out' || tranche.state === 'failed')
          await moveTranche(tx, file, tranche, { state: 'received', failure: null })
        const { returnedPaise: amountPaise, receivedAt } = payOut
        if (amountPaise === 0) return
        const made = { amountPaise, reason: 'Less arrived than the lender reported.', utr: null }
        await recordMadeRefund(tx, { payment, order }, [], { ...made, at: receivedAt ?? at })
      }),
    refundRefusal: ({ accountId }) => (accountId === BANK_TRANSFER ? NOT_REFUNDABLE : null),
    settled: (tx, paid, at) => settle(ctx, tx, paid, at),
    failed: (tx, { payment, code, message }) =>
      withTranches(tx, payment.instituteId, [payment.orderId], async (file, { tranche, isNewest }) => {
        if (code === NOT_SENT || !isNewest || tranche.state !== 'paid_out') return
        await moveTranche(tx, file, tranche, { state: 'failed', failure: message })
      }),
    async reversed(_tx, { payment }) {
      throw new Error(`${payment.id} came from a lender, and no bank takes a transfer back`)
    },
  }
}

type PaidTranche = { orderId: string; tranche: Tranche; payOut: RecordedPayOut; isNewest: boolean }

/** Runs `act` for the tranche of each order while its application is locked. */
async function withTranches(
  tx: Transaction,
  instituteId: number,
  orderIds: readonly string[],
  act: (file: LoanFile, paid: PaidTranche) => Promise<void>,
): Promise<void> {
  for (const { applicationId, orderId } of await store.findByOrders(tx, instituteId, orderIds)) {
    // Read again for each order: two orders of one settlement may belong to the same loan.
    const file = await store.lockFile(tx, { instituteId, applicationId })
    const payOut = file?.payOuts.find(one => one.orderId === orderId)
    const tranche = file?.tranches.find(({ id }) => id === payOut?.trancheId)
    assert(file !== null && payOut !== undefined && tranche !== undefined, `${orderId} lost its tranche`)
    const isNewest = file.payOuts.every(
      ({ trancheId, number }) => trancheId !== tranche.id || number <= payOut.number,
    )
    await act(file, { orderId, tranche, payOut, isNewest })
  }
}

async function moveTranche(
  tx: Transaction,
  { application }: LoanFile,
  tranche: Tranche,
  change: Pick<Tranche, 'state' | 'failure'> & Partial<Tranche>,
): Promise<Tranche> {
  assertTrancheMove(tranche.state, change.state)
  const moved = { ...tranche, ...change }
  const key = { instituteId: application.instituteId, applicationId: application.id }
  await store.writeTranche(tx, key, moved)
  return moved
}

/** A confirmation was taken back: unless another transfer paid its tranche, the lender still owes it. */
async function reopenTranche(
  tx: Transaction,
  file: LoanFile,
  { number, trancheId }: RecordedPayOut,
): Promise<void> {
  const { application } = file
  const isPaid = file.payOuts.some(
    one =>
      one.trancheId === trancheId &&
      one.number !== number &&
      one.receivedAt !== null &&
      one.withdrawnAt === null,
  )
  const tranche = file.tranches.find(one => one.id === trancheId)
  if (isPaid || tranche === undefined) return
  const live = await store.findLive(tx, application.instituteId, application.studentId)
  if (live !== null && live.id !== application.id)
    throw conflict('The family has applied for another loan since. End that one first.')
  const failure = 'The school found that it had not arrived after all.'
  const cleared = { settlementUtr: null, disbursedPaise: null }
  await moveTranche(tx, file, tranche, { state: 'failed', failure, ...cleared })
  await store.writeApplication(tx, reopen(application))
}

/** A tranche is disbursed when the institute has the money; the loan is disbursed with its last tranche. */
async function settle(
  ctx: Pick<LoanContext, 'clock'>,
  tx: Transaction,
  paid: readonly PaidOrder[],
  at: Date,
): Promise<void> {
  const [first] = paid
  if (first === undefined) return
  const { instituteId } = first.payment
  const orders = new Map(paid.map(({ order }) => [order.id, order]))
  const events: NewEvent[] = []
  await withTranches(tx, instituteId, [...orders.keys()], async (file, { orderId, tranche, payOut }) => {
    const order = orders.get(orderId)
    const settlementUtr = order?.lines[0]?.settlementUtr ?? null
    assert(order !== undefined && settlementUtr !== null, `${orderId} is settled without a UTR`)
    // The lender may pay a tranche twice when the first transfer seemed to have failed; it is disbursed once.
    if (tranche.state === 'disbursed' || payOut.withdrawnAt !== null) return
    const sentPaise = totalOf(order)
    const { returnedPaise } = payOut
    const disbursedPaise = returnedPaise < sentPaise ? subtractPaise(sentPaise, returnedPaise) : sentPaise
    const moved = await moveTranche(tx, file, tranche, {
      state: 'disbursed',
      failure: null,
      settlementUtr,
      disbursedPaise,
    })
    const tranches = file.tranches.map(one => (one.id === moved.id ? moved : one))
    const isAll =
      file.application.state === 'agreement_signed' && tranches.every(({ state }) => state === 'disbursed')
    const application = isAll ? moveTo(ctx, file.application, 'disbursed', { endedAt: at }) : file.application
    if (isAll) await store.writeApplication(tx, application)
    const { studentId } = application
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    assert(student !== undefined, `the application ${application.id} lost its student`)
    await mailBorrower(tx, application, { kind: 'disbursed', amountPaise: disbursedPaise }, ctx.clock.now())
    events.push(loanEvent('cred.loan.disbursed', application, { student, at, disbursement: moved }))
  })
  await recordEvents(tx, events)
}
