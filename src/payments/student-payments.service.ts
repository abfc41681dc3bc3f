import type { Queryable } from '../platform/db/database.ts'
import { sumPaise, type Paise } from '../platform/money.ts'
import * as store from './student-payments.store.ts'

export type { StudentPayment } from './student-payments.store.ts'

const MOST_SHOWN = 500

/** What was paid here for these students, newest first. */
export async function listPaid(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.StudentPayment[]> {
  return store.listStudentPayments(db, instituteId, studentIds, ['captured'], MOST_SHOWN)
}

/** What payers have started at the bank's page and of which the bank has reported nothing. */
export async function listStarted(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.StudentPayment[]> {
  return store.listStudentPayments(db, instituteId, studentIds, ['created'], MOST_SHOWN)
}

/** What the bank has been asked for and has not answered. */
export async function listOnTheWay(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.StudentPayment[]> {
  return store.listStudentPayments(db, instituteId, studentIds, ['pending'], MOST_SHOWN)
}

/** The same as a sum. */
export async function readOnTheWay(db: Queryable, instituteId: number, studentId: string): Promise<Paise> {
  const onTheWay = await listOnTheWay(db, instituteId, [studentId])
  return sumPaise(onTheWay.map(payment => payment.amountPaise))
}
