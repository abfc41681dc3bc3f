import { recordEvents, type NewEvent } from '../events/events.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { newId } from '../platform/ids.ts'
import { decideRecord } from '../students/direct-payments/direct-payments.rules.ts'
import * as store from '../students/direct-payments/direct-payments.store.ts'
import { findOwners } from './import-owners.service.ts'
import type { PaymentRow } from './import-rows.schemas.ts'
import type { ImportHandler, ImportScene, Outcome } from './import-scene.ts'
import { mergePaymentRows, type RowProblem, type Unit } from './import-units.rules.ts'
import { paymentBlock } from '../students/student-blocks.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import { paidProblems, type DirectPayment } from '../students/students.rules.ts'

type PaymentUnit = Unit<DirectPayment, PaymentRow>

type Plan = { context: StudentContext; added: PaymentUnit[]; known: PaymentUnit[] }

/** A file of payments: each does what recording a direct payment does. */
export const paymentImport: ImportHandler<'payments'> = {
  codesOf: row => [{ kind: 'component', code: row.line.componentType, column: 'component_type' }],
  async judge(db, scene, groups, options) {
    const { institute } = scene
    const { owned, problems } = await findOwners<PaymentRow>(db, scene, groups, options)
    const merged = owned.map(({ student, group }) => ({ studentId: student.id, ...mergePaymentRows(group) }))
    const keys = merged.map(({ studentId }) => ({ instituteId: institute.id, studentId }))
    const contexts = await readStudentContexts(db, keys)
    const stored = await store.findPaymentsOf(db, institute.id, merged.flatMap(paymentKeys))
    const recorded = new Map(stored.map(payment => [keyText(payment), payment]))
    const plans: Plan[] = []
    for (const { studentId, units, problems: own } of merged) {
      problems.push(...own)
      const context = contexts.get(studentId)
      if (context === undefined) throw new Error('a student vanished')
      const plan: Plan = { context, added: [], known: [] }
      for (const unit of units) {
        const { transactionId } = unit.said
        const decision = decideRecord(recorded.get(keyText({ studentId, transactionId })) ?? null, unit.said)
        if (decision.kind === 'add') plan.added.push(unit)
        else if (decision.kind === 'known') plan.known.push(unit)
        else problems.push(...problemsOf(unit, 'transaction_id', decision.message))
      }
      problems.push(...refuseTooMuch(plan))
      plans.push(plan)
    }
    return { problems, apply: tx => apply(tx, scene, plans) }
  },
}

type MergedStudent = { studentId: string; units: readonly PaymentUnit[] }

function paymentKeys({ studentId, units }: MergedStudent): store.PaymentKey[] {
  return units.map(({ said }) => ({ studentId, transactionId: said.transactionId }))
}

function keyText({ studentId, transactionId }: store.PaymentKey): string {
  return `${studentId} ${transactionId}`
}

function problemsOf({ rows }: PaymentUnit, column: string, message: string): RowProblem[] {
  return rows.map(({ rowNo }) => ({ rowNo, column, message }))
}

/** None of a student's payments is added when together they are too much. */
function refuseTooMuch(plan: Plan): RowProblem[] {
  const payments = plan.added.map(unit => unit.said)
  const [problem] = paidProblems([...plan.context.paid.values()], payments, 'amount')
  if (problem === undefined) return []
  const refused = plan.added
  plan.added = []
  return refused.flatMap(unit => problemsOf(unit, problem.key, problem.message))
}

async function apply(tx: Transaction, scene: ImportScene, plans: readonly Plan[]): Promise<Outcome> {
  const { institute, now } = scene
  const added = plans.flatMap(({ context, added: units }) =>
    units.map(unit => ({
      context,
      payment: { ...unit.said, id: newId('pay'), studentId: context.student.id },
    })),
  )
  await store.insertPayments(
    tx,
    institute.id,
    added.map(({ payment }) => payment),
    now,
  )
  const events = added.map(({ context, payment }): NewEvent => ({
    code: 'direct.payment.added',
    instituteId: institute.id,
    collectorCode: context.student.collectorCode,
    resourceId: context.student.id,
    occurredAt: now,
    payload: { ...context.identity, payment: paymentBlock(payment) },
  }))
  await recordEvents(tx, events)
  return {
    appliedRows: plans.reduce((sum, plan) => sum + countRows(plan.added), 0),
    unchangedRows: plans.reduce((sum, plan) => sum + countRows(plan.known), 0),
  }
}

function countRows(units: readonly PaymentUnit[]): number {
  return units.reduce((sum, { rows }) => sum + rows.length, 0)
}
