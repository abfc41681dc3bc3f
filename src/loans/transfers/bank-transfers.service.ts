import type { Context } from '../../platform/context.ts'
import { dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { paiseOf, ZERO } from '../../platform/money.ts'
import { applyReport, findPayment } from '../../payments/payments.service.ts'
import { settleDay } from '../../payments/settlements/settlements.service.ts'
import type { PaymentOutcome, Provider, SettlementReport } from '../../providers/port.ts'
import { ProviderRefused } from '../../providers/refused.ts'
import { BANK_TRANSFER } from './bank-transfers.rules.ts'
import type { LoanContext } from '../context.ts'
import * as store from '../loans.store.ts'
import type { LoanFile, RecordedPayOut } from '../loans.rules.ts'

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
      throw new ProviderRefused('This money came to the bank account directly: pay it back from there.')
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

/** What reached a bank account is settled as it is received, under the UTR of the transfer. */
async function* settlementsOf(
  db: Context['db'],
  day: string,
  instituteId?: number,
): AsyncIterable<SettlementReport> {
  const span = { from: startOfDay(day), before: startOfDay(dayAfter(day)) }
  const received = await store.listReceived(db, { ...span, instituteId })
  const byUtr = Map.groupBy(received, one => `${one.instituteId} ${one.reference}`)
  for (const payOuts of byUtr.values()) {
    const [first] = payOuts
    if (first === undefined || first.receivedAt === null) continue
    const items = payOuts.map(({ paymentId, amountPaise }) => {
      return {
        kind: 'payment',
        ourId: paymentId,
        providerRef: paymentId,
        amountPaise,
        feePaise: ZERO,
      } as const
    })
    yield { instituteId: first.instituteId, utr: first.reference, settledAt: first.receivedAt, items }
  }
}

/**
 * A person of the institute found a transfer on the bank statement, or did not. Each transfer that the lender reported is
 * confirmed by itself: one that was called missing and paid again may arrive all the same, and counts too.
 */
export async function confirmTransfer(
  ctx: LoanContext,
  command: Command<RecordedPayOut>,
  key: store.LoanKey,
  { number, isReceived }: { number: number; isReceived: boolean },
): Promise<RecordedPayOut> {
  await requireDirect(ctx, key, number)
  const confirmed = await transact(ctx.db, command, async tx => {
    const payOut = payOutOf(await store.lockFile(tx, key), number)
    if (payOut.receivedAt !== null) throw conflict('This transfer is confirmed already.')
    const now = ctx.clock.now()
    const change = isReceived ? { receivedAt: now, missingAt: null } : { receivedAt: null, missingAt: now }
    const after = { ...payOut, ...change }
    await store.writeReceipt(tx, key, after)
    return after
  })
  await applyConfirmed(ctx, key, confirmed).catch(() => {})
  return confirmed
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
  if (receivedAt === null) return
  const port = { ...account.port, settlements: (day: string) => settlementsOf(ctx.db, day, instituteId) }
  await settleDay(ctx, { ...account, port }, dayOf(receivedAt))
}
