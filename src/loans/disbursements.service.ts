import { recordEvents, type NewEvent } from '../events/events.service.ts'
import type { PaidOrder, PaymentHandler } from '../payments/payment-handler.ts'
import { assert } from '../platform/assert.ts'
import type { Transaction } from '../platform/db/database.ts'
import { totalOf } from '../orders/orders.rules.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import { credEvent, disbursementBlock } from './loan-events.ts'
import { lenderTitle, type LoanContext } from './context.ts'
import * as store from './loans.store.ts'
import { assertTrancheMove, type LoanFile, type RecordedPayOut, type Tranche } from './loans.rules.ts'
import { moveTo } from './lender-news.service.ts'

/** The payments janitor's word for what was never taken up: here it only means that the bank was not told yet. */
const NOT_SENT = 'abandoned'

/** What the bank's word about a lender's transfer means for its tranche, in the transaction that wrote it down. */
export function disbursementPaymentHandler(ctx: Pick<LoanContext, 'clock' | 'lenders'>): PaymentHandler {
  return {
    captured: (tx, { payment }) =>
      withTranches(tx, payment.instituteId, [payment.orderId], async (file, { tranche }) => {
        if (tranche.state === 'paid_out' || tranche.state === 'failed')
          await moveTranche(tx, file, tranche, { state: 'received', failure: null })
      }),
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

type Paid = { orderId: string; tranche: Tranche; payOut: RecordedPayOut; isNewest: boolean }

/** The tranches behind these orders, each under the lock of its application. */
async function withTranches(
  tx: Transaction,
  instituteId: number,
  orderIds: readonly string[],
  act: (file: LoanFile, paid: Paid) => Promise<void>,
): Promise<void> {
  for (const { applicationId, orderId } of await store.findByOrders(tx, instituteId, orderIds)) {
    // Read anew each time: two orders of one settlement may be of one loan.
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

/** The money is at the institute: only now is it disbursed, and with the last tranche the loan is. */
async function settle(
  ctx: Pick<LoanContext, 'clock' | 'lenders'>,
  tx: Transaction,
  paid: readonly PaidOrder[],
  at: Date,
): Promise<void> {
  const [first] = paid
  if (first === undefined) return
  const { instituteId } = first.payment
  const orders = new Map(paid.map(({ order }) => [order.id, order]))
  const events: NewEvent[] = []
  await withTranches(tx, instituteId, [...orders.keys()], async (file, { orderId, tranche }) => {
    const order = orders.get(orderId)
    const settlementUtr = order?.lines[0]?.settlementUtr ?? null
    assert(order !== undefined && settlementUtr !== null, `${orderId} is settled without a UTR`)
    // A tranche that the lender paid twice, because the first transfer seemed to have failed, is disbursed once.
    if (tranche.state === 'disbursed') return
    const disbursedPaise = totalOf(order)
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
    const facts = {
      student,
      lenderTitle: lenderTitle(ctx, application.lender),
      at,
      disbursement: disbursementBlock(moved),
    }
    events.push(credEvent('cred.loan.disbursed', application, facts))
  })
  await recordEvents(tx, events)
}
