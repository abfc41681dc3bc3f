import { newId } from '../platform/ids.ts'
import type { Student } from '../students/students.rules.ts'
import { unpaidOrder, type Order, type OrderKind, type OrderLine } from './orders.rules.ts'

type OrderRequest = {
  kind: OrderKind
  lines: readonly Pick<OrderLine, 'componentType' | 'amountPaise'>[]
  at: Date
  callbackUrl?: string | null
  /** Where the money goes, if not to the student's own branch. */
  collectorCode?: string
  planId?: string
  instalmentId?: string
}

/** An order that Bursar itself makes for a student: dues, a plan's part, a loan's pay-out. */
export function orderFor(student: Student, wanted: OrderRequest): Order {
  const { at, callbackUrl = null, collectorCode = student.collectorCode, ...rest } = wanted
  return unpaidOrder({
    ...rest,
    id: newId('order'),
    studentId: student.id,
    collectorCode,
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
    callbackUrl,
    expiresAt: null,
    createdAt: at,
  })
}
