import {
  readRefusal,
  refundAtCounterWithin,
  type AskedCounterRefund,
} from '../banking/refunds/counter-refund.service.ts'
import { withdrawHeld } from '../banking/post-dated/post-dated.service.ts'
import type { Dues } from '../dues/dues.service.ts'
import type { FlexContext } from '../flex/context.ts'
import { cancelAtProvider } from '../flex/mandates/end-mandate.ts'
import type { Mandate } from '../flex/rules/plan.rules.ts'
import { familyPageUrl } from '../institutes/institutes.service.ts'
import { languageOfFamily, queueMessages } from '../messages/messages.service.ts'
import { cancelLocked, listPayable } from '../orders/orders.service.ts'
import { refundAdvanceWithin, sumRefundableOnline } from '../payments/refunds/advance-refund.service.ts'
import type { OnTheWay } from '../payments/student-payments.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { badField, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatRupees, subtractPaise, sumPaise, type Paise } from '../platform/money.ts'
import type { RecordedPayment, RefundWay } from '../students/direct-payments/direct-payments.rules.ts'
import { listTakenPayments } from '../students/direct-payments/direct-payments.service.ts'
import { closeVirtualAccount } from '../dues/virtual-accounts/account-requests.service.ts'
import { changeStatusWithin } from '../students/profile/profile.service.ts'
import type { StudentKey } from '../students/students.rules.ts'
import { proposeRefunds, type MadeRefund, type Settlement, type Span } from './leaving.rules.ts'
import * as store from './leaving.store.ts'
import type { Leaving } from './leaving.store.ts'
import { leavingMessages } from './leaving.texts.ts'
import {
  closedOrder,
  settleFees,
  type Decisions,
  type FeeDecisions,
  type LeavingStudent,
} from './settle-fees.service.ts'

export type { Leaving } from './leaving.store.ts'

type CounterShare = {
  transactionId: string
  amountPaise: Paise
  way: RefundWay
  reference: string | null
}

export type AskedLeaving = FeeDecisions & {
  areChequesGivenBack: boolean
  /** How much of what was paid online goes back. */
  onlinePaise: Paise | null
  counter: readonly CounterShare[]
}

/** Who could be paid back what, before anything is refunded. */
export type LeavingPreview = {
  settlement: Settlement
  share: { part: number; whole: number }
  span: Span
  /** Before anything is done, without late fees. */
  owedBeforePaise: Paise
  advanceBeforePaise: Paise
  onTheWay: OnTheWay[]
  refundable: {
    onlinePaise: Paise
    /** How much of it the rule proposes. */
    proposedOnlinePaise: Paise
    counter: RefundableTaking[]
    keptPaise: Paise
  }
}

export type RefundableTaking = {
  payment: RecordedPayment
  refundablePaise: Paise
  proposedPaise: Paise
  /** Why nothing of it can be paid out here. */
  refusal: string | null
}

/** Undoes what a preview has done. */
class Previewed extends Error {
  override readonly name = 'Previewed'
  readonly preview: LeavingPreview

  constructor(preview: LeavingPreview) {
    super('a preview changes nothing')
    this.preview = preview
  }
}

/** What a leaving would do: it is done by the same code in a transaction that is rolled back, so it is what comes of it. */
export async function previewLeaving(
  ctx: FlexContext,
  command: Command<LeavingPreview>,
  student: LeavingStudent,
  decisions: Decisions,
): Promise<LeavingPreview> {
  const preview = await tryLeaving(ctx, student, decisions)
  return transact(ctx.db, command, async () => preview)
}

async function tryLeaving(
  ctx: FlexContext,
  student: LeavingStudent,
  decisions: Decisions,
): Promise<LeavingPreview> {
  const asked = { ...decisions, reason: 'preview', shownOwedPaise: null, shownAdvancePaise: null }
  try {
    await ctx.db.transaction(async tx => {
      const at = ctx.clock.now()
      const settled = await settleFees(tx, ctx, student, { asked, by: '', at })
      const { dues, before } = settled
      const refundable = await readRefundable(tx, ctx, student, dues.advancePaise)
      throw new Previewed({
        settlement: settled.settlement,
        share: settled.share,
        span: settled.span,
        owedBeforePaise: before.owedPaise,
        advanceBeforePaise: before.advancePaise,
        onTheWay: settled.onTheWay,
        refundable,
      })
    })
  } catch (error) {
    if (error instanceof Previewed) return error.preview
    throw error
  }
  throw new Error('a preview ends by being rolled back')
}

async function readRefundable(
  tx: Transaction,
  ctx: FlexContext,
  { institute, studentId }: LeavingStudent,
  advancePaise: Paise,
): Promise<LeavingPreview['refundable']> {
  const key = { instituteId: institute.id, studentId }
  const onlinePaise = await sumRefundableOnline(tx, ctx, { institute, studentId })
  const takings: Omit<RefundableTaking, 'proposedPaise'>[] = []
  for (const payment of await listTakenPayments(tx, key)) {
    const refundablePaise = subtractPaise(payment.amountPaise, payment.refundedPaise)
    if (payment.cancelledAt !== null || refundablePaise === 0) continue
    takings.push({ payment, refundablePaise, refusal: await readRefusal(tx, institute.id, payment) })
  }
  const possible = takings.filter(({ refusal }) => refusal === null)
  const proposed = proposeRefunds(advancePaise, { onlinePaise, counter: possible })
  const shareOf = new Map(proposed.counter.map(one => [one.payment.id, one.amountPaise]))
  return {
    onlinePaise,
    proposedOnlinePaise: proposed.onlinePaise,
    counter: takings.map(one => ({ ...one, proposedPaise: shareOf.get(one.payment.id) ?? (0 as Paise) })),
    keptPaise: proposed.keptPaise,
  }
}

/**
 * Settles somebody who leaves, all of it in one transaction: the plan ends, fees become what is owed up to the leaving day,
 * deposits and what was paid too much pay what is owed, the rest is refunded, what stays open is written off or stays
 * owed. Refunds of money that was paid online are written down here and sent by the worker, as every refund.
 */
export async function settleLeaving(
  ctx: FlexContext,
  command: Command<Leaving>,
  student: LeavingStudent,
  asked: AskedLeaving,
  by: string,
): Promise<Leaving> {
  const { institute, studentId } = student
  const key = { instituteId: institute.id, studentId }
  const at = ctx.clock.now()
  let mandates: Mandate[] = []
  const leaving = await transact(ctx.db, command, async tx => {
    const settled = await settleFees(tx, ctx, student, { asked, by, at })
    mandates = settled.mandates
    const { advancePaise } = settled.dues
    const refunds = await refund(tx, ctx, student, { asked, advancePaise, by, at })
    const open = await listPayable(tx, institute.id, [studentId], at)
    await cancelLocked(tx, institute.id, open, at)
    const held = asked.areChequesGivenBack
      ? await withdrawHeld(tx, key, { reason: asked.reason, by, at })
      : []
    const refundedPaise = sumPaise(refunds.map(one => one.amountPaise))
    const settlement: Settlement = {
      ...settled.settlement,
      refunds,
      advancePaise: subtractPaise(advancePaise, refundedPaise),
      closedOrders: open.map(closedOrder),
      cheques: settled.settlement.cheques.map(one => ({
        ...one,
        isGivenBack: held.some(({ id }) => id === one.id),
      })),
    }
    const known = await store.findLeaving(tx, key)
    if (known !== null && isNothing(settlement))
      throw conflict('This leaving is settled already, and nothing was left to do.')
    await changeStatusWithin(tx, ctx, { institute, id: studentId }, 'dropped')
    await closeVirtualAccount(tx, key, at)
    const { leftOn, reason } = asked
    const made: Leaving = { id: newId('lvg'), leftOn, reason, settlement, settledAt: at, settledBy: by }
    await store.endLeaving(tx, key, at)
    await store.insertLeaving(tx, key, made)
    await tellFamily(tx, ctx, student, { leaving: made, dues: settled.dues })
    return made
  })
  for (const mandate of mandates) await cancelAtProvider(ctx, mandate)
  return leaving
}

function isNothing(settlement: Settlement): boolean {
  const { loweredPaise, depositPaise, usedPaise, waivedPaise, writtenOffPaise } = settlement
  const { refunds, cheques, ended, planIds, closedOrders } = settlement
  const moved = [loweredPaise, depositPaise, usedPaise, waivedPaise, writtenOffPaise]
  const stopped = [refunds, ended, planIds, closedOrders, cheques.filter(one => one.isGivenBack)]
  return moved.every(paise => paise === 0) && stopped.every(some => some.length === 0)
}

/** Pays back what was paid too much, by the ways that the office chose. */
async function refund(
  tx: Transaction,
  ctx: FlexContext,
  { institute, studentId }: LeavingStudent,
  { asked, advancePaise, by, at }: { asked: AskedLeaving; advancePaise: Paise; by: string; at: Date },
): Promise<MadeRefund[]> {
  const online = asked.onlinePaise ?? (0 as Paise)
  const counter = asked.counter.filter(({ amountPaise }) => amountPaise > 0)
  const wanted = sumPaise([online, ...counter.map(one => one.amountPaise)])
  if (wanted > advancePaise)
    throw badField(
      'counter_refunds',
      `and the refund of what was paid online are ${formatRupees(wanted)} together, and ${formatRupees(advancePaise)} were paid beyond what is owed`,
    )
  const { reason } = asked
  const made: MadeRefund[] = []
  if (online > 0)
    for (const { id, amountPaise } of await refundAdvanceWithin(
      tx,
      ctx,
      { institute, studentId },
      { amountPaise: online, reason },
    ))
      made.push({ refundId: id, way: 'online', amountPaise, takenBy: null })
  for (const { transactionId, amountPaise, way, reference } of counter) {
    const wantedRefund: AskedCounterRefund = { amountPaise, lines: null, way, reference, reason }
    const target = { institute, studentId, transactionId }
    const { id, payment } = await refundAtCounterWithin(tx, target, wantedRefund, { by, at })
    made.push({ refundId: id, way, amountPaise, takenBy: payment.recordedBy })
  }
  return made
}

async function tellFamily(
  tx: Transaction,
  ctx: FlexContext,
  { institute }: LeavingStudent,
  { leaving, dues }: { leaving: Leaving; dues: Dues },
): Promise<void> {
  const { student } = dues.context
  const family = { instituteId: institute.id, phone: student.contactNumber }
  const language = await languageOfFamily(tx, family)
  const url = institute.hasParentSignIn ? familyPageUrl(ctx, institute) : null
  await queueMessages(tx, leavingMessages({ institute, student, leaving, url, language }))
}

export async function findLeaving({ db }: Pick<FlexContext, 'db'>, key: StudentKey): Promise<Leaving | null> {
  return store.findLeaving(db, key)
}

export async function countToSettle({ db }: Pick<FlexContext, 'db'>, instituteId: number): Promise<number> {
  return store.countToSettle(db, instituteId)
}
