import type { NewEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { PaidOrder, PaymentHandler } from '../../payments/payment-handler.ts'
import { assert } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict } from '../../platform/errors.ts'
import { subtractPaise } from '../../platform/money.ts'
import { recordMadeRefund } from '../../payments/refunds/made-refunds.service.ts'
import { totalOf } from '../../orders/orders.rules.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { mailBorrower } from '../loan-mails.service.ts'
import { loanEvent } from '../loan.events.ts'
import type { LoanContext } from '../context.ts'
import * as store from '../loans.store.ts'
import {
  assertTrancheMove,
  reopen,
  BANK_TRANSFER,
  NOT_REFUNDABLE,
  type LoanFile,
  type RecordedPayOut,
  type Tranche,
} from '../loans.rules.ts'
import { moveTo } from '../lender-updates.service.ts'

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
export async function reopenTranche(
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
