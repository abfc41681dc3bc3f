import { applyFees, type FeePlan, planFees } from '../../../fees/fees.service.ts'
import {
  type FeeRow,
  feeRows,
  type PaymentRow,
  paymentRows,
  type StudentRow,
  studentRows,
} from './erp-rows.schemas.ts'
import { mergeFeeRows, mergePaymentRows, mergeStudentRows } from './merge-rows.rules.ts'
import type { ImportKindDefinition, Outcome } from '../kind.ts'
import {
  isRead,
  ownerProblem,
  pickOwner,
  type PlacedRow,
  problemsOf,
  type RowGroup,
  type RowProblem,
  sameStudentProblem,
} from '../merge.rules.ts'
import { keysByStudent, ofStudents, type RowOfStudent } from '../row-fields.schemas.ts'
import { defaultBranch, type Institute } from '../../../institutes/institutes.rules.ts'
import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/ids.ts'
import { addAll } from '../../../platform/lists.ts'
import type { SentId } from '../../../students/direct-payments/direct-payments.rules.ts'
import {
  addPayments,
  lockOpenOrders,
  planPayments,
} from '../../../students/direct-payments/plan-payments.service.ts'
import {
  findStudents,
  identityKey,
  planRegistrations,
  registerStudents,
  type RegistrationContext,
  type RegistrationPlan,
} from '../../../students/registration/register-students.service.ts'
import type { DirectPayment, Student } from '../../../students/students.rules.ts'

type PlannedStudent = { plan: RegistrationPlan; rows: PlacedRow<StudentRow>[] }

/** A file of students: each row does what Register Student does, without fees and payments. */
export const studentImport: ImportKindDefinition<StudentRow> = {
  ...ofStudents,
  rows: studentRows,
  keysOf: keysByStudent(),
  codesOf: row => [{ kind: 'grade', code: row.identity.grade, column: 'grade' }],
  async judge(db, { institute, now, gradeNames }, groups, options) {
    const context: RegistrationContext = { institute, now, gradeNames, source: 'import' }
    const merged = groups.map(group => mergeStudentRows(group.filter(isRead)))
    const units = merged.flatMap(one => one.units)
    const registrations = units.map(({ said }) => ({ ...said, fees: [], payments: [] }))
    const plans = await planRegistrations(db, context, registrations, options)
    const problems = merged.flatMap(one => one.problems)
    const planned = new Map<string, PlannedStudent>()
    for (const [index, plan] of plans.entries()) {
      const rows = units[index]?.rows ?? []
      const other = planned.get(plan.student.id)
      if (plan.kind === 'someone_else') addAll(problems, problemsOf(rows, SOMEONE_ELSE))
      else if (other !== undefined) addAll(problems, problemsOf(rows, sameStudentProblem(other.rows)))
      else planned.set(plan.student.id, { plan, rows })
    }
    return { problems, apply: tx => apply(tx, context, [...planned.values()]) }
  },
}

const SOMEONE_ELSE = {
  column: 'fullname',
  message:
    'and date_of_birth both differ from the registered student with this identifier, grade and year; correct one of them',
}

/** A row has changed something when its student did, or when it linked a user. */
async function apply(
  tx: Transaction,
  context: RegistrationContext,
  planned: readonly PlannedStudent[],
): Promise<Outcome> {
  const links = await registerStudents(
    tx,
    context,
    planned.map(({ plan }) => plan),
  )
  const linked = new Set(links.map(link => `${link.studentId} ${link.registrationId}`))
  const outcome: Outcome = { appliedRows: 0, unchangedRows: 0 }
  for (const { plan, rows } of planned) {
    const isChanged = plan.kind === 'new' || (plan.kind === 'known' && plan.changes.length > 0)
    for (const { row } of rows) {
      if (isChanged || linked.has(`${plan.student.id} ${row.registrationId}`)) outcome.appliedRows++
      else outcome.unchangedRows++
    }
  }
  return outcome
}

/** A student whose fees change, or stay as they are, with the rows that say so. */
type PlannedFees = FeePlan & { rows: PlacedRow<FeeRow>[] }

/** A file of fees: the rows of a student do what Update Fee does. */
export const feeImport: ImportKindDefinition<FeeRow> = {
  ...ofStudents,
  rows: feeRows,
  keysOf: keysByStudent('component_type'),
  codesOf: ({ componentType, discounts = [] }) => [
    { kind: 'component', code: componentType, column: 'component_type' },
    ...discounts.map(discount => {
      return { kind: 'discount' as const, code: discount.discountType, column: 'discount_type' }
    }),
  ],
  async judge(db, { institute, now }, groups, options) {
    const { owned, problems } = await findOwners(db, institute, groups, options)
    const merged = owned.map(({ student, group }) => ({ studentId: student.id, ...mergeFeeRows(group) }))
    addAll(
      problems,
      merged.flatMap(one => one.problems),
    )
    const sent = merged.map(({ studentId, units }) => ({ studentId, fees: units.map(unit => unit.said) }))
    const plans = await planFees(db, institute.id, sent, 'fee_amount')
    const planned: PlannedFees[] = []
    for (const [index, plan] of plans.entries()) {
      const rows = merged[index]?.units.flatMap(unit => unit.rows) ?? []
      const [tooMuch] = plan.problems
      if (tooMuch === undefined) planned.push({ ...plan, rows })
      else addAll(problems, problemsOf(rows, { column: tooMuch.key, message: tooMuch.message }))
    }
    return {
      problems,
      async apply(tx) {
        await applyFees(tx, institute.id, planned, { changedAt: now, source: 'import' })
        return countFeeRows(planned)
      },
    }
  },
}

function countFeeRows(planned: readonly PlannedFees[]): Outcome {
  const outcome: Outcome = { appliedRows: 0, unchangedRows: 0 }
  for (const { changes, rows } of planned) {
    const changed = new Set(changes.map(change => change.componentType))
    const applied = rows.filter(({ row }) => changed.has(row.componentType)).length
    outcome.appliedRows += applied
    outcome.unchangedRows += rows.length - applied
  }
  return outcome
}

type PaymentOfRows = DirectPayment & SentId & { rows: readonly PlacedRow<PaymentRow>[] }

/** A file of payments: each does what recording a direct payment does. */
export const paymentImport: ImportKindDefinition<PaymentRow> = {
  ...ofStudents,
  rows: paymentRows,
  keysOf: keysByStudent('transaction_id'),
  codesOf: row => [{ kind: 'component', code: row.line.componentType, column: 'component_type' }],
  async judge(db, { institute, now }, groups, options) {
    if (options.isLocked) {
      const identifiers = groups.flatMap(group => group.find(isRead)?.row.identity.identifier ?? [])
      await lockOpenOrders(db, institute.id, { identifiers })
    }
    const { owned, problems } = await findOwners(db, institute, groups, options)
    const sent = owned.map(({ student, group }) => {
      const { units, problems: own } = mergePaymentRows(group)
      addAll(problems, own)
      const payments = units.map(({ said, rows }): PaymentOfRows => ({ ...said, rows }))
      return { studentId: student.id, payments }
    })
    const plans = await planPayments(db, institute.id, sent)
    for (const plan of plans) {
      for (const { sent: payment, message } of plan.conflicts)
        addAll(problems, problemsOf(payment.rows, { column: 'transaction_id', message }))
      const [tooMuch] = plan.problems
      if (tooMuch === undefined) continue
      const rows = plan.added.flatMap(payment => payment.rows)
      addAll(problems, problemsOf(rows, { column: tooMuch.key, message: tooMuch.message }))
    }
    const good = plans.flatMap(({ context, added, problems: wrong }) =>
      wrong.length > 0
        ? []
        : added.map(one => ({ context, payment: { ...one, id: newId('pay'), sentId: one.id ?? null } })),
    )
    return {
      problems,
      async apply(tx) {
        await addPayments(tx, institute.id, good, now)
        return {
          appliedRows: countPaymentRows(good.map(({ payment }) => payment)),
          unchangedRows: countPaymentRows(plans.flatMap(plan => plan.known.map(({ sent: one }) => one))),
        }
      },
    }
  },
}

function countPaymentRows(payments: readonly PaymentOfRows[]): number {
  return payments.reduce((sum, { rows }) => sum + rows.length, 0)
}

type Owned<Row> = { student: Student; group: RowGroup<Row> }

/** The students that groups of fees or payments are of; rows of nobody are told so. */
async function findOwners<Row extends RowOfStudent>(
  db: Queryable,
  institute: Institute,
  groups: readonly RowGroup<Row>[],
  options: { isLocked: boolean },
): Promise<{ owned: Owned<Row>[]; problems: RowProblem[] }> {
  const named = groups.flatMap(group => {
    const sample = group.find(isRead)?.row
    return sample === undefined ? [] : [{ group, sample }]
  })
  const identities = named.map(({ sample }) => sample.identity)
  const known = await findStudents(db, institute, identities, options)
  const owned = new Map<string, Owned<Row>>()
  const problems: RowProblem[] = []
  for (const { group, sample } of named) {
    const { identity, collectorCode } = sample
    const branch = collectorCode ?? defaultBranch(institute)
    const owner = pickOwner(known.get(identityKey(identity)) ?? [], collectorCode, branch)
    const other = owner.kind === 'found' ? owned.get(owner.known.student.id) : undefined
    if (owner.kind === 'found' && other === undefined) {
      owned.set(owner.known.student.id, { student: owner.known.student, group })
      continue
    }
    const problem = other === undefined ? ownerProblem(owner, collectorCode) : sameStudentProblem(other.group)
    addAll(problems, problemsOf(group.filter(isRead), problem))
  }
  return { owned: [...owned.values()], problems }
}
