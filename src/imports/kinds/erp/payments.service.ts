import { newId } from '../../../platform/ids.ts'
import {
  addPayments,
  lockOpenOrders,
  planPayments,
} from '../../../students/direct-payments/plan-payments.service.ts'
import type { SentId } from '../../../students/direct-payments/direct-payments.rules.ts'
import type { DirectPayment } from '../../../students/students.rules.ts'
import type { ImportKindDefinition } from '../kind.ts'
import { isRead, problemsOf, type PlacedRow } from '../merge.rules.ts'
import { findOwners } from './owners.service.ts'
import { keysByStudent, ofStudents } from '../student-identity.schemas.ts'
import { mergePaymentRows } from './merge-rows.rules.ts'
import { paymentRows, type PaymentRow } from './erp-rows.schemas.ts'
import { addAll } from '../../../platform/lists.ts'

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
          appliedRows: countRows(good.map(({ payment }) => payment)),
          unchangedRows: countRows(plans.flatMap(plan => plan.known.map(({ sent: one }) => one))),
        }
      },
    }
  },
}

function countRows(payments: readonly PaymentOfRows[]): number {
  return payments.reduce((sum, { rows }) => sum + rows.length, 0)
}
