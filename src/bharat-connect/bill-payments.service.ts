import type { Institute } from '../institutes/institutes.rules.ts'
import { applyRefundReport } from '../payments/refunds/refunds.service.ts'
import { settleDay } from '../payments/settlements/settlements.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { dayAfter, dayOf, startOfDay } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { badField, conflict, notFound } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { paiseOf, ZERO } from '../platform/money.ts'
import { BILL_MODE, ProviderRefused, type Provider, type SettlementReport } from '../providers/port.ts'
import { BHARAT_CONNECT, itemsOf } from './bills.rules.ts'
import * as store from './biller.store.ts'
import type { BillRefund } from './biller.store.ts'

/**
 * Money that apps of Bharat Connect took, as the rest of Bursar sees it: a provider that reports what its operating unit posted and paid
 * out. Nothing goes back through the network, so a refund waits until the office has transferred it.
 */
export function createBillPayments({ db, clock }: Pick<Context, 'db' | 'clock'>): Provider {
  return {
    name: BHARAT_CONNECT,
    accepts: { methods: [], minPaise: paiseOf(1), maxPaise: null },
    async start() {
      throw new ProviderRefused('A bill of Bharat Connect is paid in a payment app.')
    },
    readCallback: async () => null,
    async status({ instituteId, paymentId }) {
      const known = await store.findPayment(db, { instituteId, paymentId })
      const outcome =
        known === null
          ? ({ kind: 'open' } as const)
          : ({
              kind: 'captured',
              amountPaise: known.amountPaise,
              mode: BILL_MODE,
              transactionId: known.reference,
              capturedAt: known.paidAt,
            } as const)
      return { about: 'payment', instituteId, paymentId, providerRef: known?.providerRef ?? '', outcome }
    },
    async refund({ instituteId, refundId, amountPaise }) {
      const asked = { instituteId, refundId, amountPaise, askedAt: clock.now(), utr: null, paidAt: null }
      return reportOf(await store.askForRefund(db, asked))
    },
    settlements: day => settlementsOf(db, day, null),
  }
}

function reportOf({ instituteId, refundId, utr, paidAt }: BillRefund) {
  const outcome =
    utr === null || paidAt === null
      ? ({ kind: 'pending' } as const)
      : ({ kind: 'processed', utr, processedAt: paidAt } as const)
  return { about: 'refund', instituteId, refundId, providerRef: refundId, outcome } as const
}

/** What the unit paid out on a day, and what the office sent back on it: each under its own bank reference. */
async function* settlementsOf(
  db: Context['db'],
  day: string,
  instituteId: number | null,
): AsyncIterable<SettlementReport> {
  const span = { from: startOfDay(day), before: startOfDay(dayAfter(day)) }
  for (const payOut of await store.listPayOuts(db, span, instituteId)) {
    const known = await store.listOfUnit(db, payOut.instituteId, payOut.unitBillIds)
    const items = itemsOf(payOut.unitBillIds, payOut.amountPaise, known)
    const { utr, settledAt } = payOut
    yield {
      instituteId: payOut.instituteId,
      utr,
      settledAt,
      items: items.map(item => ({ kind: 'payment', ...item })),
    }
  }
  for (const refund of await store.listPaidRefunds(db, span, instituteId)) {
    const { refundId, amountPaise, utr, paidAt: settledAt } = refund
    const item = {
      kind: 'refund',
      ourId: refundId,
      providerRef: refundId,
      amountPaise,
      feePaise: ZERO,
    } as const
    yield { instituteId: refund.instituteId, utr, settledAt, items: [item] }
  }
}

/** Settles what was told of a day for one school at once, instead of with the job of the night. */
export async function settleOwn(ctx: PaymentContext, instituteId: number, at: Date): Promise<void> {
  const account = await ctx.accounts.accountOf({ instituteId, accountId: BHARAT_CONNECT })
  const port = { ...account.port, settlements: (day: string) => settlementsOf(ctx.db, day, instituteId) }
  await settleDay(ctx, { ...account, port }, dayOf(at))
}

export type UnpaidRefund = Awaited<ReturnType<typeof store.listUnpaidRefunds>>[number]

/** What the office has to send back by bank transfer. */
export async function listUnpaidRefunds(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Institute, 'id'>,
): Promise<UnpaidRefund[]> {
  return store.listUnpaidRefunds(db, id)
}

const UTR = /^[A-Za-z0-9]{8,30}$/

/** The office has transferred it: from now on the refund is made. */
export async function payRefund(
  ctx: PaymentContext,
  command: Command<BillRefund>,
  { institute, refundId }: { institute: Institute; refundId: string },
  sent: { utr: string },
): Promise<BillRefund> {
  const key = { instituteId: institute.id, refundId }
  const utr = sent.utr.replaceAll(/\s/g, '').toUpperCase()
  if (!UTR.test(utr)) throw badField('utr', 'must be the reference of the bank: 8 to 30 letters and digits')
  const paid = await transact(ctx.db, command, async tx => {
    if ((await store.findRefund(tx, institute.id, refundId)) === null) throw notFound('This refund')
    const made = { utr, paidAt: ctx.clock.now() }
    if (!(await store.setRefundPaid(tx, key, made))) throw conflict('This refund is paid already.')
    const after = await store.findRefund(tx, institute.id, refundId)
    if (after === null) throw notFound('This refund')
    return after
  })
  // It is kept: the jobs of refunds and of settlement do what is interrupted here.
  await finish(ctx, paid).catch(() => {})
  return paid
}

async function finish(ctx: PaymentContext, paid: BillRefund): Promise<void> {
  await applyRefundReport(ctx, reportOf(paid))
  if (paid.paidAt !== null) await settleOwn(ctx, paid.instituteId, paid.paidAt)
}
