import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import { assertNever } from '../../platform/assert.ts'
import { badField, conflict } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, transact, type Command } from '../../platform/idempotency.ts'
import { formatRupees, type Paise } from '../../platform/money.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import {
  cancelPayment,
  getPayment,
  type PaymentTarget,
} from '../../students/direct-payments/direct-payments.service.ts'
import type { Discount, FeeComponent } from '../../fees/fees.rules.ts'
import { changeStatus } from '../../leaving/status.service.ts'
import type { ConsoleContext } from '../context.ts'
import type { Pulled } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { pullWithPlans } from '../../flex/plans/end-plan.service.ts'
import { componentsOf } from '../../fees/optional/optional-fee.rules.ts'
import { listOfStudent } from '../../students/enrolments/enrol.service.ts'
import { changeFees } from '../../fees/fees.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { holdStudent } from '../../students/profile/lock-student.service.ts'
import { getStudent } from '../../students/students.service.ts'
import { roomFor, withConcession } from './students.rules.ts'
import type { StudentTarget } from './students.service.ts'
import { listNamedStudents } from '../../banking/statements/decide.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { studentList } from './student.list.ts'
import type { ListedStudent } from './students.store.ts'
import { openDueLinks, type WantedLinks } from '../../dues/due-links.service.ts'
import { totalOf } from '../../orders/orders.rules.ts'
import type { PaymentContext } from '../../payments/context.ts'
import type { Bulk } from '../lists/bulk.rules.ts'

/** What people do to a student in the console; each through the feature whose it is. */

export type ErpFetch = Exclude<Pulled, { kind: 'not_configured' }>

/** Asks the ERP at once. The student is brought up to date by the pull itself; who asked is written down after it. */
export async function fetchNow(
  ctx: FlexContext,
  command: Command<ErpFetch>,
  { institute, studentId }: StudentTarget,
): Promise<ErpFetch> {
  await getStudent(ctx, institute, studentId)
  const request = { instituteId: institute.id, studentId, reason: 'console' as const }
  const [pulled] = await pullWithPlans(ctx, [request])
  switch (pulled?.kind) {
    case undefined:
    case 'not_configured':
      throw conflict('There is no ERP to ask: its fetch URL is not set.')
    case 'found':
    case 'refused':
    case 'unavailable':
      return transact(ctx.db, command, async () => pulled)
    default:
      return assertNever(pulled)
  }
}

export async function cancelDirect(
  ctx: Context,
  command: Command<RecordedPayment>,
  target: PaymentTarget,
  reason: string,
): Promise<RecordedPayment> {
  const payment = await getPayment(ctx, target)
  if (payment.cancelledAt !== null) throw conflict('This payment is cancelled already.')
  return cancelPayment(ctx, command, target, reason)
}

export type Conceded = { componentType: string; before: readonly Discount[]; after: readonly Discount[] }

/**
 * Sets one discount of one component, or ends it at 0. Decided while the student is held: a fee that the ERP changes at
 * the same moment is neither lost nor taken back.
 */
export async function concede(
  ctx: Context,
  command: Command<Conceded>,
  { institute, studentId }: StudentTarget,
  { componentType, discount }: { componentType: string; discount: Discount },
): Promise<Conceded> {
  const codes: CodeInUse[] = [{ kind: 'discount', code: discount.discountType, key: 'discount_type' }]
  const key = { instituteId: institute.id, studentId }
  return transact(ctx.db, command, async tx => {
    await checkCatalogue(tx, institute, codes)
    await joinCatalogue(tx, institute, codes)
    await holdStudent(tx, key)
    const fees = (await readStudentContexts(tx, [key])).get(studentId)?.fees ?? []
    const before = requireFee(fees, componentType)
    assertRoom(before, discount)
    const chosen = await listOfStudent(tx, institute.id, studentId)
    const isOf = ({ fee }: (typeof chosen)[number]): boolean =>
      !fee.takesConcessions && componentsOf(fee).some(one => one.componentType === componentType)
    if (discount.valuePaise > 0 && chosen.some(isOf))
      throw badField('component_type', 'is an optional fee that takes no concessions')
    const { feePaise, discounts: after } = withConcession(before, discount)
    const change = { changedAt: ctx.clock.now(), source: 'update' } as const
    await changeFees(tx, key, [{ componentType, feePaise, discounts: after }], change)
    return { componentType, before: before.discounts, after }
  })
}

function assertRoom(fee: FeeComponent, { discountType, valuePaise }: Discount): void {
  const room = roomFor(fee, discountType)
  if (valuePaise > room)
    throw badField('amount', `is more than the ${formatRupees(room)} that the other discounts leave of it`)
}

function requireFee(fees: readonly FeeComponent[], componentType: string): FeeComponent {
  const fee = fees.find(one => one.componentType === componentType)
  if (fee === undefined) throw badField('component_type', 'is not a fee of this student')
  return fee
}

type Status = 'active' | 'dropped'
type StatusChange = { before: Status; after: Status }

export async function setStatus(
  ctx: ConsoleContext,
  command: Command<StatusChange>,
  { institute, studentId: id }: StudentTarget,
  after: Status,
): Promise<StatusChange> {
  const { student } = await getStudent(ctx, institute, id)
  if (student.status === after) throw conflict(`This student is ${after} already.`)
  const change = { before: student.status, after }
  await changeStatus(
    ctx,
    innerCommand(command, () => change),
    { institute, id },
    after,
  )
  return change
}

const MOST_YEARS = 20

/** Whom a line of a bank statement may be for, as the list of students shows them. */
export async function readNamedStudents(
  ctx: Context,
  institute: Institute,
  lineId: string,
): Promise<ListedStudent[]> {
  const named = await listNamedStudents(ctx, institute, lineId)
  const found = named.map(async ({ id, identifier }) => {
    const wanted = { typed: identifier, status: 'active' as const }
    const { rows } = await studentList.page(ctx, institute, wanted, { limit: MOST_YEARS })
    return rows.filter(row => row.id === id)
  })
  return (await Promise.all(found)).flat()
}

type MadeLink = { studentId: string; orderId: string; amountPaise: Paise; isNew: boolean }
export type MadeLinks = Bulk & { links: MadeLink[] }

/** A payment link for each of the students, all of them or, if it fails, none. */
export async function makeLinks(
  ctx: PaymentContext,
  command: Command<MadeLinks>,
  target: { institute: Institute; studentIds: readonly string[] },
  wanted: WantedLinks,
): Promise<MadeLinks> {
  return transact(ctx.db, command, async tx => {
    const { links, leftOut } = await openDueLinks(tx, ctx, target, wanted)
    return {
      done: links.map(({ order }) => order.id),
      leftOut,
      links: links.map(({ studentId, order, isNew }) => {
        return { studentId, orderId: order.id, amountPaise: totalOf(order), isNew }
      }),
    }
  })
}
