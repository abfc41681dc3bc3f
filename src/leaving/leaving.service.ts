import {
  readRefusal,
  refundAtCounterWithin,
  type AskedCounterRefund,
} from '../banking/refunds/counter-refund.service.ts'
import { giveBackHeld, listHeldCheques } from '../banking/post-dated/post-dated.service.ts'
import { useAllAdvance } from '../dues/excess.service.ts'
import { LATE_FEE, withoutTaken } from '../dues/dues.rules.ts'
import { readDuesOn, type Dues } from '../dues/dues.service.ts'
import { waiveAllLateFees } from '../dues/payment-rules.service.ts'
import { returnDeposits } from '../fees/deposits/deposits.service.ts'
import type { SentFee } from '../fees/fees.rules.ts'
import { changeFees } from '../fees/fees.service.ts'
import type { FlexContext } from '../flex/context.ts'
import { cancelAtProvider } from '../flex/mandates/end-mandate.ts'
import { endPlanOf } from '../flex/plans/end-plan.service.ts'
import type { Mandate } from '../flex/rules/plan.rules.ts'
import { readDeposits, joinCatalogue } from '../institutes/catalogue.service.ts'
import { familyPageUrl } from '../institutes/institutes.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { languageOfFamily, queueMessages } from '../messages/messages.service.ts'
import { lockOrders } from '../orders/order-payments.service.ts'
import { cancelLocked, listPayable } from '../orders/orders.service.ts'
import { refundAdvanceWithin, sumRefundableOnline } from '../payments/refunds/advance-refund.service.ts'
import { listOnTheWay, listPaid, type OnTheWay } from '../payments/student-payments.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db/database.ts'
import { badField, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatRupees, subtractPaise, sumPaise, type Paise } from '../platform/money.ts'
import type { RecordedPayment, RefundWay } from '../students/direct-payments/direct-payments.rules.ts'
import { listTakenPayments } from '../students/direct-payments/direct-payments.service.ts'
import { changeStatusWithin } from '../students/profile/profile.service.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import type { StudentKey } from '../students/students.rules.ts'
import {
  depositAfter,
  loweredBy,
  monthsBegun,
  payableOf,
  priceAfter,
  proposedCharge,
  proposeRefunds,
  withWrittenOff,
  WRITTEN_OFF,
  yearSpan,
  type Charge,
  type MadeRefund,
  type SettledLine,
  type Settlement,
  type Span,
} from './leaving.rules.ts'
import * as store from './leaving.store.ts'
import type { Leaving } from './leaving.store.ts'
import { leavingMessages } from './leaving.texts.ts'

export type { Leaving } from './leaving.store.ts'

type CounterShare = {
  transactionId: string
  amountPaise: Paise
  way: RefundWay
  reference: string | null
}

type Decisions = {
  leftOn: string
  /** Where the office decided otherwise than by due days. */
  charges: readonly { componentType: string; charge: Charge }[]
  /** What prorated fees are for; the academic year if null. */
  proratedFrom: string | null
  proratedTo: string | null
  isWrittenOff: boolean
  areLateFeesWaived: boolean
}

export type AskedLeaving = Decisions & {
  reason: string
  areChequesGivenBack: boolean
  /** Of what was paid online. */
  onlinePaise: Paise | null
  counter: readonly CounterShare[]
  /** Fees owed and the advance before it, as the page showed them; refused if they are others by now. */
  shownOwedPaise: Paise | null
  shownAdvancePaise: Paise | null
}

type LeavingStudent = { institute: Institute; studentId: string }

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
      ? await giveBackHeld(tx, key, { reason: asked.reason, by, at })
      : []
    const refundedPaise = sumPaise(refunds.map(one => one.amountPaise))
    const settlement: Settlement = {
      ...settled.settlement,
      refunds,
      advancePaise: subtractPaise(advancePaise, refundedPaise),
      closedOrders: open.map(({ id }) => id),
      cheques: settled.settlement.cheques.map(one => ({
        ...one,
        isGivenBack: held.some(({ id }) => id === one.id),
      })),
    }
    const known = await store.findLeaving(tx, key)
    if (known !== null && isNothing(settlement))
      throw conflict('This leaving is settled already, and nothing was left to do.')
    await changeStatusWithin(tx, ctx, { institute, id: studentId }, 'dropped')
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
  const { loweredPaise, depositPaise, usedPaise, waivedPaise, writtenOffPaise, refunds, cheques } = settlement
  const moved = [loweredPaise, depositPaise, usedPaise, waivedPaise, writtenOffPaise]
  return moved.every(paise => paise === 0) && refunds.length === 0 && !cheques.some(one => one.isGivenBack)
}

type Acting = { asked: FeeDecisions; by: string; at: Date }

type FeeDecisions = Decisions & Pick<AskedLeaving, 'reason' | 'shownOwedPaise' | 'shownAdvancePaise'>

type SettledFees = {
  settlement: Settlement
  before: Dues
  dues: Dues
  onTheWay: OnTheWay[]
  share: { part: number; whole: number }
  span: Span
  mandates: Mandate[]
}

/** All but refunds and what follows from them. Locks as everywhere: orders, plan, student. */
async function settleFees(
  tx: Transaction,
  ctx: FlexContext,
  { institute, studentId }: LeavingStudent,
  { asked, by, at }: Acting,
): Promise<SettledFees> {
  const key = { instituteId: institute.id, studentId }
  const open = await listPayable(tx, institute.id, [studentId], at)
  const paid = await listPaid(tx, institute.id, [studentId])
  await lockOrders(tx, institute.id, [...open.map(({ id }) => id), ...paid.map(({ orderId }) => orderId)])
  const mandates = await endPlanOf(tx, ctx, key)
  await holdStudent(tx, key)
  const before = await readDues(tx, key, at)
  checkShown(before, asked)
  const { academicYearStart, academicYearEnd } = before.context.student
  const year = yearSpan(academicYearStart, academicYearEnd)
  const span = { from: asked.proratedFrom ?? year.from, to: asked.proratedTo ?? year.to }
  if (span.to < span.from) throw badField('prorated_to', 'must not be before prorated_from')
  const share = monthsBegun(span, asked.leftOn)
  const deposits = new Set(await readDeposits(tx, institute.id))
  const { lines, fees } = priceLines(before, { asked, deposits, share })
  await changeFees(tx, key, fees, {
    changedAt: at,
    source: 'update',
    note: `left the school on ${asked.leftOn}`,
  })
  const { reason } = asked
  const returned = await returnDeposits(tx, key, heldIn(lines), { reason, at })
  const uses = await useAllAdvance(tx, key, { reason, actor: by }, at)
  const waived = asked.areLateFeesWaived ? await waiveAllLateFees(tx, key, { reason, actor: by, at }) : []
  const onTheWay = await listOnTheWay(tx, institute.id, [studentId])
  const writtenOffPaise = asked.isWrittenOff
    ? await writeOff(tx, institute, key, { onTheWay, at })
    : sumPaise([])
  const dues = await readDues(tx, key, at)
  const left = withoutTaken(dues, onTheWay)
  const cheques = await listHeldCheques(tx, institute.id, studentId)
  const settlement: Settlement = {
    lines,
    ...loweredBy(lines),
    depositPaise: sumPaise(returned.map(one => one.amountPaise)),
    usedPaise: sumPaise(uses.map(one => one.amountPaise)),
    usedForLateFeesPaise: sumPaise(
      uses.filter(one => one.toComponent === LATE_FEE).map(one => one.amountPaise),
    ),
    waivedPaise: sumPaise(waived.map(one => one.amountPaise)),
    writtenOffPaise,
    refunds: [],
    owedPaise: dues.owedPaise,
    lateFeePaise: dues.lateFeePaise,
    onTheWayPaise: subtractPaise(dues.totalPaise, left.totalPaise),
    advancePaise: dues.advancePaise,
    planIds: mandates.map(({ planId }) => planId),
    closedOrders: open.map(({ id }) => id),
    cheques: cheques.map(({ id, number, amountPaise }) => ({ id, number, amountPaise, isGivenBack: false })),
  }
  return { settlement, before, dues, onTheWay, share, span, mandates }
}

async function readDues(tx: Transaction, key: StudentKey, at: Date): Promise<Dues> {
  const dues = (await readDuesOn(tx, [key], dayOf(at))).get(key.studentId)
  if (dues === undefined) throw new Error('a student that is held has dues')
  return dues
}

function checkShown(
  { owedPaise, advancePaise }: Dues,
  { shownOwedPaise, shownAdvancePaise }: FeeDecisions,
): void {
  const isOwedOther = shownOwedPaise !== null && shownOwedPaise !== owedPaise
  const isAdvanceOther = shownAdvancePaise !== null && shownAdvancePaise !== advancePaise
  if (isOwedOther || isAdvanceOther)
    throw conflict(
      `By now ${formatRupees(owedPaise)} of fees are owed and ${formatRupees(advancePaise)} stand as an advance. Look at the figures again.`,
    )
}

type Deciding = {
  asked: Decisions
  deposits: ReadonlySet<string>
  share: { part: number; whole: number }
}

/** What is owed of each fee from now on; only fees that change are sent. */
function priceLines(
  { lines }: Dues,
  { asked, deposits, share }: Deciding,
): { lines: SettledLine[]; fees: SentFee[] } {
  const chosen = new Map(asked.charges.map(one => [one.componentType, one.charge]))
  const unknown = asked.charges.findIndex(
    ({ componentType }) => !lines.some(line => line.componentType === componentType),
  )
  if (unknown >= 0) throw badField(`charges.${unknown}.component_type`, 'is not a fee of this student')
  const decided = lines.map(line => {
    const { componentType, feePaise, discounts, paidPaise, dueOn, isCarried } = line
    const isDeposit = deposits.has(componentType)
    const charge = chosen.get(componentType) ?? proposedCharge({ dueOn, isCarried, isDeposit }, asked.leftOn)
    const price = { feePaise, discounts }
    const after =
      isDeposit && charge !== 'full' ? depositAfter(price, paidPaise) : priceAfter(price, charge, share)
    const beforePaise = payableOf(price)
    const settled: SettledLine = {
      componentType,
      charge,
      isDeposit,
      dueOn,
      beforePaise,
      afterPaise: payableOf(after),
      paidPaise,
    }
    return { settled, fee: { componentType, ...after }, isSame: after === price }
  })
  return {
    lines: decided.map(({ settled }) => settled),
    fees: decided.filter(({ isSame }) => !isSame).map(({ fee }) => fee),
  }
}

/** Deposits that go back; of the others nothing was paid, or the office keeps them. */
function heldIn(lines: readonly SettledLine[]): { componentType: string; amountPaise: null }[] {
  const held = lines.filter(
    ({ isDeposit, charge, afterPaise }) => isDeposit && charge !== 'full' && afterPaise > 0,
  )
  return held.map(({ componentType }) => ({ componentType, amountPaise: null }))
}

/** What nobody pays and nothing that is on the way covers is not collected any more. */
async function writeOff(
  tx: Transaction,
  institute: Institute,
  key: StudentKey,
  { onTheWay, at }: { onTheWay: readonly OnTheWay[]; at: Date },
): Promise<Paise> {
  const { lines } = withoutTaken(await readDues(tx, key, at), onTheWay)
  const open = lines.filter(({ owedPaise }) => owedPaise > 0)
  if (open.length === 0) return sumPaise([])
  await joinCatalogue(tx, institute, [{ kind: 'discount', code: WRITTEN_OFF }])
  const fees = open.map(({ componentType, feePaise, discounts, owedPaise }) => {
    return { componentType, feePaise, discounts: withWrittenOff(discounts, owedPaise) }
  })
  await changeFees(tx, key, fees, { changedAt: at, source: 'update' })
  return sumPaise(open.map(({ owedPaise }) => owedPaise))
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
