import type { Queryable } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { StudentKey } from '../students.rules.ts'
import * as store from './parents.store.ts'

export type { CarriedDues, CounterPayment } from './parents.store.ts'

/** Who a student belongs to; those of its primary contact first. */
export async function listUsersOf(
  { db }: Context,
  student: StudentKey,
): Promise<{ registrationId: string; isContact: boolean }[]> {
  return store.listUsersOf(db, student)
}

const MOST_CHILDREN = 100
const MOST_PAYMENTS = 500
const MOST_USERS = 20

/** Whose phone number or e-mail address it is; none who has no child here. */
export async function listUsersByContact(
  db: Queryable,
  instituteId: number,
  contact: { phone: string } | { email: string },
): Promise<string[]> {
  return store.listUsersByContact(db, instituteId, contact, MOST_USERS)
}

export async function requireUser({ db }: Context, user: store.UserKey): Promise<void> {
  if (!(await store.hasUser(db, user))) throw notFound('This user')
}

/** The ids of a user's students, those still at school first. */
export async function listChildren({ db }: Context, user: store.ParentKey): Promise<string[]> {
  return store.listChildren(db, user, MOST_CHILDREN)
}

export async function isChild({ db }: Context, user: store.ParentKey, studentId: string): Promise<boolean> {
  return store.isChild(db, user, studentId)
}

/** The same child's records of other academic years that this user has, newest year first. */
export async function listOtherYears(
  { db }: Context,
  user: store.ParentKey,
  studentId: string,
): Promise<string[]> {
  return store.listOtherYears(db, user, studentId)
}

/** What a rollover carried from these records to a later year. */
export async function listCarriedDues(
  { db }: Context,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.CarriedDues[]> {
  return store.listCarriedDues(db, instituteId, studentIds)
}

/** What the institute took itself for these students, newest first. */
export async function listCounterPayments(
  { db }: Context,
  instituteId: number,
  studentIds: readonly string[],
): Promise<store.CounterPayment[]> {
  return store.listCounterPayments(db, instituteId, studentIds, MOST_PAYMENTS)
}
