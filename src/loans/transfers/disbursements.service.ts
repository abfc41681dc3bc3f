import type { NewEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { PaidOrder, PaymentHandler } from '../../payments/payment-handler.ts'
import { assert } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { totalOf } from '../../orders/orders.rules.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { loanEvent } from '../loan.events.ts'
import type { LoanContext } from '../context.ts'
import * as store from '../loans.store.ts'
import { assertTrancheMove, type LoanFile, type RecordedPayOut, type Tranche } from '../loans.rules.ts'
import { moveTo } from '../lender-updates.service.ts'

/** The reconciler's code for a payment unknown to the provider; here the transfer is merely not announced yet. */
const NOT_SENT = 'abandoned'

/** Applies the bank's result for a lender's transfer to its tranche, in the transaction that records the result. */
export function disbursementPaymentHandler(ctx: Pick<LoanContext, 'clock'>): PaymentHandler {
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

/** Runs `act` for the tranche of each order while its application is locked. */
async function withTranches(
  tx: Transaction,
  instituteId: number,
  orderIds: readonly string[],
  act: (file: LoanFile, paid: Paid) => Promise<void>,
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
  await withTranches(tx, instituteId, [...orders.keys()], async (file, { orderId, tranche }) => {
    const order = orders.get(orderId)
    const settlementUtr = order?.lines[0]?.settlementUtr ?? null
    assert(order !== undefined && settlementUtr !== null, `${orderId} is settled without a UTR`)
    // The lender may pay a tranche twice when the first transfer seemed to have failed; it is disbursed once.
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
    events.push(loanEvent('cred.loan.disbursed', application, { student, at, disbursement: moved }))
  })
  await recordEvents(tx, events)
}
