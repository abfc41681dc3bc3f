import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction, Queryable } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './users.store.ts'
import { notFound } from '../../platform/errors.ts'
import type { StudentKey } from '../students.rules.ts'

export { findFamilies, linkUsers } from './users.store.ts'

export type Person = { name: string; phone: string; email: string }

export type RegisteredUser = { registrationId: string; isNew: boolean }

/** A user of this phone and e-mail: the oldest there is, else a new one with a registration id of ours. */
export async function registerUser(
  ctx: Context,
  command: Command<RegisteredUser>,
  institute: Institute,
  person: Person,
): Promise<RegisteredUser> {
  return transact(ctx.db, command, tx => findOrMakeUser(tx, institute.id, person, ctx.clock.now()))
}

/**
 * No constraint can keep two users of one contact apart, because Register Student makes the user that it names, also
 * when others share phone and e-mail. So a lookup of a contact holds it until the commit.
 */
export async function findOrMakeUser(
  tx: Transaction,
  instituteId: number,
  person: Person,
  now: Date,
): Promise<RegisteredUser> {
  await store.lockContact(tx, instituteId, person)
  const known = await store.findByContact(tx, instituteId, person)
  if (known !== null) return { registrationId: known, isNew: false }
  const id = newId('user')
  await store.ensureUsers(tx, instituteId, [{ ...person, id, registrationId: id }], now)
  return { registrationId: id, isNew: true }
}

export type { CarriedDues, ChildFact, CounterPayment } from './users.store.ts'

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
const MOST_RECORDS = 5

/** A number or address that more users than this have is no family's own, but a placeholder or the school's. */
export const MOST_OWN_USERS = 5

/** Users with this phone number or e-mail address who have a child here. */
export async function listUsersByContact(
  db: Queryable,
  instituteId: number,
  contact: { phone: string } | { email: string },
): Promise<string[]> {
  return store.listUsersByContact(db, instituteId, contact, MOST_USERS)
}

/** The records of the child that somebody names by its admission number and a fact about it; none when they do not fit. */
export async function listByFact(
  { db }: Context,
  instituteId: number,
  fact: store.ChildFact,
): Promise<string[]> {
  return store.listByFact(db, instituteId, fact, { mostUsers: MOST_OWN_USERS, limit: MOST_RECORDS })
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
