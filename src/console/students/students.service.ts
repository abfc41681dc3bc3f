import { getDues, readDues, type Dues } from '../../dues/dues.service.ts'
import { listLateFeeEntries, type LateFeeEntry } from '../../dues/payment-rules.service.ts'
import {
  findVirtualAccount,
  givesAccountNumbers,
  type OpenVirtualAccount,
} from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import type { ConsoleContext } from '../context.ts'
import { listPlansOf, readPlan } from '../../flex/plans/plans.service.ts'
import type { PlanHistory } from '../../flex/plans/plan.schemas.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { ComponentAmount } from '../../fees/advances/advances.rules.ts'
import { listUndoable, readHeldDeposits } from '../../fees/deposits/deposits.service.ts'
import { readOwnOrder } from '../../fees/structures/structures.service.ts'
import { findLeaving, type Leaving } from '../../leaving/leaving.service.ts'
import { listEntries } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { listDuesOrders } from '../../orders/orders.service.ts'
import {
  listOnTheWay,
  listPaid,
  listPending,
  type OnTheWay,
  type StudentPayment,
} from '../../payments/student-payments.service.ts'
import { toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import { badField, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { listCancelledReceipts, type Receipt } from '../../receipts/receipts.service.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import { listPayments } from '../../students/direct-payments/direct-payments.service.ts'
import { listRefundsOf, type DirectRefund } from '../../students/direct-payments/direct-refunds.service.ts'
import { listErpSettings } from '../../erp/settings/settings.service.ts'
import { getStudent, type CarriedAmount } from '../../students/students.service.ts'
import { yearName } from '../../students/students.rules.ts'
import { readMoment, writeMoment } from './students.rules.ts'
import * as store from './students.store.ts'
import { listTimeline, type TimelineRow } from './timeline.store.ts'

export type { TimelineRow } from './timeline.store.ts'

export type StudentTarget = { institute: Institute; studentId: string }

type Code = { code: string; name: string }
export type Choices = {
  branches: Code[]
  years: Code[]
  grades: Code[]
  sections: Code[]
  components: Code[]
  discounts: Code[]
  isStrict: boolean
}

const MOST_YEARS = 20
const MOST_SECTIONS = 100

/** What lists and dialogues offer to choose from. */
export async function readChoices(ctx: Context, institute: Institute): Promise<Choices> {
  const [years, sections, grades, components, discounts] = await Promise.all([
    store.listYears(ctx.db, institute.id, MOST_YEARS),
    store.listSections(ctx.db, institute.id, MOST_SECTIONS),
    listEntries(ctx, institute, 'grade'),
    listEntries(ctx, institute, 'component'),
    listEntries(ctx, institute, 'discount'),
  ])
  const order = await readOwnOrder(ctx, institute)
  const branches = institute.branches.map(({ collectorCode: code, name }) => ({ code, name }))
  return {
    branches,
    years: years.map(({ start, end }) => ({ code: String(start), name: yearName(start, end) })),
    grades: inOrder(grades, order.grades),
    sections: sections.map(section => ({ code: section, name: section })),
    components: inOrder(components, order.components),
    discounts,
    isStrict: institute.strictCatalogue,
  }
}

/** Whether the payment provider of some branch gives students account numbers. */
export async function offersAccountNumbers(
  ctx: ConsoleContext,
  { id: instituteId, branches }: Institute,
): Promise<boolean> {
  for (const { collectorCode } of branches)
    if (await givesAccountNumbers(ctx, { instituteId, collectorCode })) return true
  return false
}

const BY_NUMBER = new Intl.Collator('en', { numeric: true })

/** Keeps the school's own order; what it does not list comes after, 2 before 10. */
function inOrder(entries: readonly Code[], order: readonly string[]): Code[] {
  const place = ({ code }: Code): number => (order.indexOf(code) + order.length + 1) % (order.length + 1)
  return entries.toSorted(
    (one, other) => place(one) - place(other) || BY_NUMBER.compare(one.code, other.code),
  )
}

const MOST_USERS = 20
/** A family's children have a record for each of their years. */
const MOST_RECORDS = 60
const MOST_ORDERS = 20

export type HeldDeposit = ComponentAmount & { studentId: string }

export type StudentPage = {
  dues: Dues
  users: store.FamilyUser[]
  /** Every record of the children of the same users, this one among them, by child: this student first, newest year first. */
  family: Dues[][]
  /** The records of this student in other academic years, newest first; what they owe is theirs. */
  otherYears: Dues[]
  /** What a rollover carried to or from them; part of what counts as paid. */
  carried: readonly CarriedAmount[]
  /** What is on the way for any of these records. */
  onTheWay: OnTheWay[]
  lateFeeEntries: LateFeeEntry[]
  /** Orders for the dues that can still be paid. */
  openOrders: Order[]
  /** What is held of deposits on these records. */
  deposits: HeldDeposit[]
  /** Deposits of this record that were given back, as far as that can be undone. */
  undoableReturns: ComponentAmount[]
  /** How its leaving was settled. */
  leaving: Leaving | null
  virtualAccount: OpenVirtualAccount | null
  /** Has none, and can be given one. */
  canHaveAccount: boolean
  hasErp: boolean
  isLocked: boolean
}

/** Everything that the head of a student's page shows. */
export async function readStudent(
  ctx: ConsoleContext,
  { institute, studentId }: StudentTarget,
): Promise<StudentPage> {
  const key = { instituteId: institute.id, studentId }
  const [
    { carried, student },
    users,
    dues,
    lateFeeEntries,
    orders,
    settings,
    leaving,
    undoableReturns,
    virtualAccount,
  ] = await Promise.all([
    getStudent(ctx, institute, studentId),
    store.listFamily(ctx.db, institute.id, studentId, MOST_USERS),
    getDues(ctx, key),
    listLateFeeEntries(ctx, { institute, studentId }),
    listDuesOrders(ctx, institute.id, studentId, MOST_ORDERS),
    listErpSettings(ctx, institute),
    findLeaving(ctx, key),
    listUndoable(ctx.db, key),
    findVirtualAccount(ctx, key),
  ])
  const others = new Set(users.flatMap(user => user.studentIds).filter(id => id !== studentId))
  const family = [...others].slice(0, MOST_RECORDS)
  const [relatives, onTheWay] = await Promise.all([
    readDues(
      ctx,
      family.map(id => ({ ...key, studentId: id })),
    ),
    listOnTheWay(ctx.db, institute.id, [studentId, ...family]),
  ])
  const records = [dues, ...family.flatMap(id => relatives.get(id) ?? [])]
  const byChild = Map.groupBy(records, one => one.context.student.identifier)
  const children = [...byChild.values()].map(own => own.toSorted((one, other) => yearOf(other) - yearOf(one)))
  const ownYears = (children[0] ?? []).map(one => one.context.student.id)
  const held = await readHeldDeposits(ctx.db, institute.id, ownYears)
  const nameOf = await readStaffNames(ctx, [
    leaving?.settledBy ?? null,
    ...lateFeeEntries.map(one => one.actor),
  ])
  return {
    dues,
    users,
    family: children,
    otherYears: (children[0] ?? []).filter(one => one !== dues),
    carried,
    onTheWay,
    lateFeeEntries: lateFeeEntries.map(one => ({ ...one, actor: one.actor && nameOf(one.actor) })),
    openOrders: orders.filter(order => order.state === 'unpaid'),
    deposits: [...held].flatMap(([id, own]) => own.map(one => ({ ...one, studentId: id }))),
    undoableReturns,
    leaving: leaving && { ...leaving, settledBy: nameOf(leaving.settledBy) },
    virtualAccount,
    canHaveAccount:
      virtualAccount?.state !== 'active' &&
      student.status === 'active' &&
      (await givesAccountNumbers(ctx, { ...key, collectorCode: student.collectorCode })),
    hasErp: settings.length > 0,
    isLocked: student.origin === 'erp' && institute.locksErpStudents,
  }
}

const MOST_PAYMENTS = 200

export type StudentMoney = {
  online: StudentPayment[]
  direct: (RecordedPayment & { refunds: DirectRefund[]; cancelledReceipts: Receipt[] })[]
  refunds: store.GivenBack[]
}

/** What came in for a student, newest first: through here, and taken by the institute itself. */
export async function readPayments(
  ctx: Context,
  { institute, studentId }: StudentTarget,
): Promise<StudentMoney> {
  const [direct, pending, paid] = await Promise.all([
    listPayments(ctx, { institute, studentId }, {}, { limit: MOST_PAYMENTS }),
    listPending(ctx.db, institute.id, [studentId]),
    listPaid(ctx.db, institute.id, [studentId]),
  ])
  const refunded = direct.rows.filter(payment => payment.refundedPaise > 0).map(({ id }) => id)
  const refunds = Map.groupBy(await listRefundsOf(ctx.db, institute.id, refunded), one => one.paymentId)
  const ids = direct.rows.map(({ id }) => id)
  const receipts = await listCancelledReceipts(ctx.db, institute.id, ids)
  const cancelled = Map.groupBy(receipts, one => one.paymentId)
  const online = [...pending, ...paid].slice(0, MOST_PAYMENTS)
  const returned = online.filter(payment => payment.refundedPaise > 0).map(payment => payment.paymentId)
  return {
    online,
    refunds: await store.listGivenBack(ctx.db, institute.id, returned),
    direct: direct.rows.map(payment => ({
      ...payment,
      refunds: refunds.get(payment.id) ?? [],
      cancelledReceipts: cancelled.get(payment.id) ?? [],
    })),
  }
}

const MOST_PLANS = 10

export async function listPlans(
  ctx: Context,
  { institute, studentId }: StudentTarget,
): Promise<LoadedPlan[]> {
  await getStudent(ctx, institute, studentId)
  return listPlansOf(ctx, institute.id, studentId, MOST_PLANS)
}

/** A plan of this student with all that was tried and decided. */
export async function readStudentPlan(
  flex: ConsoleContext,
  { institute, studentId }: StudentTarget,
  planId: string,
): Promise<PlanHistory> {
  const plan = await readPlan(flex, institute, planId)
  if (plan.plan.studentId !== studentId) throw notFound('This plan')
  return plan
}

/** Everything that ever happened to a student, newest first. */
export async function readTimeline(
  ctx: Context,
  { institute, studentId }: StudentTarget,
  { kind = null, cursor, limit }: PageRange & { kind?: TimelineRow['kind'] | null },
): Promise<Page<TimelineRow>> {
  await getStudent(ctx, institute, studentId)
  const before = cursor === undefined ? null : readMoment(cursor)
  if (before !== null && Number.isNaN(before.at.getTime())) throw badField('cursor', 'names no moment')
  const key = { instituteId: institute.id, studentId }
  const found = await listTimeline(ctx.db, key, { kind, before, limit: limit + 1 })
  const nameOf = await readStaffNames(
    ctx,
    found.map(({ by }) => by),
  )
  const named = found.map(row => ({ ...row, by: row.by && nameOf(row.by) }))
  return toPage(named, limit, writeMoment)
}

function yearOf({ context }: Dues): number {
  return context.student.academicYearStart
}
