import { toRupees } from '../platform/money.ts'
import { closedAt, statusAt, type Order } from './orders.rules.ts'

/**
 * The read view of a pay order or payment link, as the API answers it and as events carry it. What was not
 * provided is absent: an undefined value leaves no key in JSON.
 */
export function orderView(order: Order, now: Date): Record<string, unknown> {
  return {
    id: order.id,
    name: order.name,
    phone: order.phone,
    email: order.email,
    identifier: order.identifier ?? undefined,
    student_name: order.studentName ?? undefined,
    grade: order.grade ?? undefined,
    stream: order.stream ?? undefined,
    academic_year_start: order.academicYearStart ?? undefined,
    academic_year_end: order.academicYearEnd ?? undefined,
    new_admission: order.newAdmission,
    date_of_birth: order.dateOfBirth ?? undefined,
    custom_identifier: order.customIdentifier ?? undefined,
    transaction_id: order.transactionId ?? undefined,
    paid_at: order.paidAt?.toISOString(),
    status: statusAt(order, now),
    details: order.lines.map(line => ({
      component_type: line.componentType,
      amount: toRupees(line.amountPaise),
      settlement_utr: line.settlementUtr ?? undefined,
      settled_at: line.settledAt?.toISOString(),
    })),
    notes: order.notes,
    ...(order.kind === 'link'
      ? { expires_at: order.expiresAt?.toISOString() }
      : { closed_at: closedAt(order, now)?.toISOString() }),
  }
}
