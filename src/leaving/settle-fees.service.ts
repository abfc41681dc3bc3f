import { listUndecided } from '../banking/cheques/cheques.service.ts'
import { listHeldCheques } from '../banking/post-dated/post-dated.service.ts'
import { LATE_FEE, withoutTaken } from '../dues/dues.rules.ts'
import { readDuesOn, type Dues } from '../dues/dues.service.ts'
import { useAllAdvance } from '../dues/excess.service.ts'
import { waiveAllLateFees } from '../dues/payment-rules.service.ts'
import type { AdvanceUse } from '../fees/advances/advances.service.ts'
import { returnDeposits } from '../fees/deposits/deposits.service.ts'
import type { Price, SentFee } from '../fees/fees.rules.ts'
import { changeFees } from '../fees/fees.service.ts'
import type { FlexContext } from '../flex/context.ts'
import { endPlanOf } from '../flex/plans/end-plan.service.ts'
import type { Mandate } from '../flex/rules/plan.rules.ts'
import { joinCatalogue, readDeposits } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { lockOrders } from '../orders/order-payments.service.ts'
import { totalOf, type Order } from '../orders/orders.rules.ts'
import { listPayable } from '../orders/orders.service.ts'
import { listOnTheWay, listPaid, type OnTheWay } from '../payments/student-payments.service.ts'
import { dayOf, formatDay } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db/database.ts'
import { badField, conflict } from '../platform/errors.ts'
import { formatRupees, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { countWaiting } from '../reminders/reminders.service.ts'
import { endAllOf, type Ended } from '../students/enrolments/enrol.service.ts'
import { holdStudents } from '../students/profile/lock-student.service.ts'
import type { StudentKey } from '../students/students.rules.ts'
import { listEarlier, setOffEarlier } from './earlier-deposits.service.ts'
import {
  depositAfter,
  loweredBy,
  monthsBegun,
  payableOf,
  priceAfter,
  proposedCharge,
  withWrittenOff,
  WRITTEN_OFF,
  yearSpan,
  type Charge,
  type SettledLine,
  type Settlement,
  type Share,
  type Span,
} from './leaving.rules.ts'

/** What the office decides about fees. */
export type Decisions = {
  leftOn: string
  /** Where the office decided otherwise than by due days. */
  charges: readonly { componentType: string; charge: Charge }[]
  /** What prorated fees are for; the academic year if null. */
  proratedFrom: string | null
  proratedTo: string | null
  areEarlierDepositsUsed: boolean
  isWrittenOff: boolean
  areLateFeesWaived: boolean
}

type Acting = { asked: FeeDecisions; by: string; at: Date }

export type FeeDecisions = Decisions & {
  reason: string
  /** Fees owed and the advance before it, as the page showed them; refused if they are others by now. */
  shownOwedPaise: Paise | null
  shownAdvancePaise: Paise | null
}

export type LeavingStudent = { institute: Institute; studentId: string }

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
export async function settleFees(
  tx: Transaction,
  ctx: FlexContext,
  { institute, studentId }: LeavingStudent,
  { asked, by, at }: Acting,
): Promise<SettledFees> {
  const key = { instituteId: institute.id, studentId }
  const open = await listPayable(tx, institute.id, [studentId], at)
  const paid = await listPaid(tx, institute.id, [studentId])
  await lockOrders(tx, institute.id, [...open.map(({ id }) => id), ...paid.map(({ orderId }) => orderId)])
  const { planIds, mandates } = await endPlanOf(tx, ctx, key)
  const earlier = await listEarlier(ctx, institute, studentId)
  await holdStudents(
    tx,
    [studentId, ...earlier.map(({ id }) => id)].map(id => ({ ...key, studentId: id })),
  )
  const before = await readDues(tx, key, at)
  checkShown(before, asked)
  const { academicYearStart, academicYearEnd } = before.context.student
  const year = yearSpan(academicYearStart, academicYearEnd)
  const span = { from: asked.proratedFrom ?? year.from, to: asked.proratedTo ?? year.to }
  if (span.to < span.from) throw badField('prorated_to', 'must not be before prorated_from')
  const share = monthsBegun(span, asked.leftOn)
  const { ended, lines, returned } = await chargeUntil(tx, institute, before, { asked, share, at })
  const { reason } = asked
  const use = (): Promise<AdvanceUse[]> => useAllAdvance(tx, key, { reason, actor: by }, at)
  const own = await use()
  const earlierDeposits = await setOffEarlier(tx, key, earlier, {
    dues: await readDues(tx, key, at),
    isUsed: asked.areEarlierDepositsUsed,
    reason,
    actor: by,
    at,
  })
  const uses = [...own, ...(earlierDeposits.some(({ usedPaise }) => usedPaise > 0) ? await use() : [])]
  const waived = asked.areLateFeesWaived ? await waiveAllLateFees(tx, key, { reason, actor: by, at }) : []
  const onTheWay = await listOnTheWay(tx, institute.id, [studentId])
  const writtenOffPaise = asked.isWrittenOff
    ? await writeOff(tx, institute, key, { onTheWay, at })
    : sumPaise([])
  const dues = await readDues(tx, key, at)
  const left = withoutTaken(dues, onTheWay)
  const settlement: Settlement = {
    lines,
    ...loweredBy(lines),
    depositPaise: sumPaise([
      ...returned.map(one => one.amountPaise),
      ...earlierDeposits.map(one => one.usedPaise),
    ]),
    earlierDeposits,
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
    ended,
    planIds,
    closedOrders: open.map(closedOrder),
    ...(await readPapers(tx, institute.id, studentId)),
  }
  return { settlement, before, dues, onTheWay, share, span, mandates }
}

type Charged = { ended: Ended[]; lines: SettledLine[]; returned: { amountPaise: Paise }[] }

/** Ends optional fees, sets each fee to what is owed of it, and gives deposits back. */
async function chargeUntil(
  tx: Transaction,
  institute: Institute,
  before: Dues,
  { asked, share, at }: { asked: FeeDecisions; share: Share; at: Date },
): Promise<Charged> {
  const studentId = before.context.student.id
  const key = { instituteId: institute.id, studentId }
  const note = `left the school on ${formatDay(asked.leftOn)}`
  const deposits = new Set(await readDeposits(tx, institute.id))
  const { ended, components: optional } = await endAllOf(tx, institute.id, studentId, {
    lastDay: asked.leftOn,
    at,
    note,
  })
  const current = ended.length === 0 ? before : await readDues(tx, key, at)
  const { lines, fees } = priceLines(before, { current, asked, deposits, optional, share })
  await changeFees(tx, key, fees, { changedAt: at, source: 'update', note })
  const returned = await returnDeposits(tx, key, heldIn(lines), { reason: asked.reason, at })
  return { ended, lines, returned }
}

/** Cheques of the family, and reminders that wait. */
async function readPapers(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<Pick<Settlement, 'cheques' | 'chequesAtBank' | 'reminders'>> {
  const held = await listHeldCheques(tx, instituteId, studentId)
  const undecided = await listUndecided(tx, instituteId, studentId)
  return {
    cheques: held.map(({ id, number, amountPaise, depositOn: day }) => {
      return { id, number, amountPaise, day, isGivenBack: false }
    }),
    chequesAtBank: undecided.map(({ paymentId: id, number, amountPaise, date: day }) => {
      return { id, number, amountPaise, day, isGivenBack: false }
    }),
    reminders: await countWaiting(tx, instituteId, studentId),
  }
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

export function closedOrder(order: Order): Settlement['closedOrders'][number] {
  return { id: order.id, isLink: order.kind === 'link', amountPaise: totalOf(order) }
}

type Deciding = {
  /** Since optional fees have ended. */
  current: Dues
  asked: Decisions
  deposits: ReadonlySet<string>
  /** Components of optional fees that go by periods. */
  optional: ReadonlySet<string>
  share: { part: number; whole: number }
}

/** What is owed of each fee from now on; only fees that change are sent. */
function priceLines(
  { lines }: Dues,
  { current, asked, deposits, optional, share }: Deciding,
): { lines: SettledLine[]; fees: SentFee[] } {
  const chosen = new Map(asked.charges.map(one => [one.componentType, one.charge]))
  const unknown = asked.charges.findIndex(
    ({ componentType }) => !lines.some(line => line.componentType === componentType),
  )
  if (unknown >= 0) throw badField(`charges.${unknown}.component_type`, 'is not a fee of this student')
  const misplaced = asked.charges.findIndex(one => one.charge === 'ended' && !optional.has(one.componentType))
  if (misplaced >= 0) throw badField(`charges.${misplaced}.charge`, 'is for optional fees')
  const decided = lines.map(line => {
    const { componentType, paidPaise, dueOn, isCarried } = line
    const isDeposit = deposits.has(componentType)
    const isOptional = optional.has(componentType)
    const charge =
      chosen.get(componentType) ?? proposedCharge({ dueOn, isCarried, isDeposit, isOptional }, asked.leftOn)
    const price = priceOf(line)
    const now = priceOf(current.lines.find(one => one.componentType === componentType))
    const base = charge === 'ended' ? now : price
    const after =
      isDeposit && charge !== 'full' ? depositAfter(price, paidPaise) : priceAfter(base, charge, share)
    const beforePaise = payableOf(price)
    const settled: SettledLine = {
      componentType,
      charge,
      isDeposit,
      isOptional,
      dueOn,
      beforePaise,
      afterPaise: payableOf(after),
      paidPaise,
    }
    return { settled, fee: { componentType, ...after }, isSame: after === (isOptional ? now : price) }
  })
  return {
    lines: decided.map(({ settled }) => settled),
    fees: decided.filter(({ isSame }) => !isSame).map(({ fee }) => fee),
  }
}

function priceOf(line: Price | undefined): Price {
  return line === undefined
    ? { feePaise: ZERO, discounts: [] }
    : { feePaise: line.feePaise, discounts: line.discounts }
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
