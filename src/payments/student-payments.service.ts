import type { Queryable } from '../platform/db/database.ts'
import { sumPaise, type Paise } from '../platform/money.ts'
import { expectedBy, type OnTheWay } from './on-the-way.rules.ts'
import * as store from './student-payments.store.ts'

export type { OnTheWay } from './on-the-way.rules.ts'
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

/** What payers have started at the bank's page and of which the bank has reported nothing; whole, however many students. */
export async function listStarted(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.StudentPayment[]> {
  return store.listStudentPayments(db, instituteId, studentIds, ['created'], null)
}

/** Lists the debits that the bank has not answered; never cut off, because a debit left out would be asked for again. */
export async function listPending(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.StudentPayment[]> {
  return store.listStudentPayments(db, instituteId, studentIds, ['pending'], null)
}

/** All that is expected for these students: what banks have been asked for, and what lenders have promised. */
export async function listOnTheWay(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<OnTheWay[]> {
  const [pending, lent] = await Promise.all([
    listPending(db, instituteId, studentIds),
    store.listLent(db, instituteId, studentIds),
  ])
  return [
    ...pending.map(payment => ({ ...payment, until: expectedBy(payment) })),
    ...lent.map(tranche => ({ ...tranche, orderKind: 'loan' as const, lines: [] })),
  ]
}

/** The same as sums; what a lender pays out is told apart, because it never goes back by itself. */
export async function readOnTheWay(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<{ paidPaise: Paise; lentPaise: Paise }> {
  const onTheWay = await listOnTheWay(db, instituteId, [studentId])
  const sum = (isLent: boolean): Paise =>
    sumPaise(
      onTheWay.filter(one => (one.orderKind === 'loan') === isLent).map(payment => payment.amountPaise),
    )
  return { paidPaise: sum(false), lentPaise: sum(true) }
}
