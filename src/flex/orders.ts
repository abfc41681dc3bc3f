import type { Order, OrderKind } from '../orders/orders.rules.ts'
import { newId } from '../platform/ids.ts'
import type { Student } from '../students/students.rules.ts'
import type { Line } from './schedule.rules.ts'

/** An order that a plan makes for its student. */
export function orderFor(
  student: Student,
  {
    kind,
    lines,
    at,
    callbackUrl,
  }: { kind: OrderKind; lines: readonly Line[]; at: Date; callbackUrl?: string },
): Order {
  return {
    id: newId('order'),
    kind,
    collectorCode: student.collectorCode,
    state: 'unpaid',
    name: student.contactName,
    phone: student.contactNumber,
    email: student.contactEmail,
    identifier: student.identifier,
    studentName: student.fullname,
    grade: student.grade,
    stream: null,
    academicYearStart: student.academicYearStart,
    academicYearEnd: student.academicYearEnd,
    newAdmission: student.newAdmission,
    dateOfBirth: student.dateOfBirth,
    customIdentifier: student.customIdentifier,
    notes: [],
    callbackUrl: callbackUrl ?? null,
    expiresAt: null,
    transactionId: null,
    paidAt: null,
    closedAt: null,
    createdAt: at,
    lines: lines.map(line => ({ ...line, settlementUtr: null, settledAt: null })),
  }
}
