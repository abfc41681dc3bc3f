import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { PAYMENT_COLUMNS } from '../direct-payments/direct-payments.store.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'
import type { DirectPayment } from '../students.rules.ts'

export type NewUser = { id: string; registrationId: string; name: string; phone: string; email: string }

const users = new Table<NewUser & { instituteId: number; createdAt: Date }>('users', {
  instituteId: 'int',
  registrationId: 'text',
  id: 'text',
  name: 'text',
  phone: 'text',
  email: 'text',
  createdAt: 'timestamptz',
})

/** Users whose registration id is known stay as they are. Always in the same order, so that no two deadlock. */
export async function ensureUsers(
  tx: Transaction,
  instituteId: number,
  given: readonly NewUser[],
  createdAt: Date,
): Promise<void> {
  const rows = given
    .map(user => ({ ...user, instituteId, createdAt }))
    .toSorted((one, other) => (one.registrationId < other.registrationId ? -1 : 1))
  await users.insert(tx, rows, { onConflict: 'on conflict (institute_id, registration_id) do nothing' })
}

export type Link = { studentId: string; registrationId: string }

/** Answers those that were not there yet. */
export async function linkUsers(
  tx: Transaction,
  instituteId: number,
  links: readonly Link[],
  linkedAt: Date,
): Promise<Link[]> {
  return tx.query<Link>(
    `insert into student_users (institute_id, student_id, registration_id, linked_at)
     select $1, l.student_id, l.registration_id, $2 from unnest($3::text[], $4::text[]) as l (student_id, registration_id)
     on conflict do nothing returning student_id as "studentId", registration_id as "registrationId"`,
    [instituteId, linkedAt, links.map(link => link.studentId), links.map(link => link.registrationId)],
  )
}

export type Contact = { phone: string; email: string }

/** The next lookup of this contact waits for the end of the transaction. */
export async function lockContact(tx: Transaction, instituteId: number, contact: Contact): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(
       hashtextextended('user ' || $1::int || ' ' || phone_key($2::text) || ' ' || lower($3::text), 0))`,
    [instituteId, contact.phone, contact.email],
  )
}

/** The registration id of the oldest user with this phone and e-mail, however they are written. */
export async function findByContact(
  tx: Transaction,
  instituteId: number,
  contact: Contact,
): Promise<string | null> {
  const [row] = await tx.query<{ registration_id: string }>(
    `select registration_id from users
     where institute_id = $1 and phone_key(phone) = phone_key($2::text) and lower(email) = lower($3::text)
     order by created_at, id limit 1`,
    [instituteId, contact.phone, contact.email],
  )
  return row?.registration_id ?? null
}

/**
 * The registration id of the oldest user of each phone; a family that is new is known by its phone from now on, so that
 * brothers and sisters who are registered without one come together.
 */
export async function findFamilies(
  db: Queryable,
  instituteId: number,
  phones: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ phone: string; registrationId: string }>(
    `select asked.phone, coalesce((select u.registration_id from users u
         where u.institute_id = $1 and phone_key(u.phone) = phone_key(asked.phone) order by u.created_at, u.id limit 1),
       'phone-' || phone_key(asked.phone)) as "registrationId"
     from (select distinct phone from unnest($2::text[]) as one (phone)) asked`,
    [instituteId, phones],
  )
  return new Map(rows.map(({ phone, registrationId }) => [phone, registrationId]))
}

/** A user and its children, as the parents' pages ask for them. */
export type UserKey = { instituteId: number; registrationId: string }

/** A parent may be several users: families are registered twice, with one phone number and two e-mail addresses. */
export type ParentKey = { instituteId: number; registrationIds: readonly string[] }

export async function hasUser(db: Queryable, { instituteId, registrationId }: UserKey): Promise<boolean> {
  const rows = await db.query('select 1 from users where institute_id = $1 and registration_id = $2', [
    instituteId,
    registrationId,
  ])
  return rows.length === 1
}

/** Children still at school come first, then by year and name. */
export async function listChildren(
  db: Queryable,
  { instituteId, registrationIds }: ParentKey,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select s.id from students s where s.institute_id = $1 and s.id in (
       select student_id from student_users where institute_id = $1 and registration_id = any($2))
     order by s.status, s.academic_year_start desc, s.fullname, s.id limit $3`,
    [instituteId, registrationIds, limit],
  )
  return rows.map(row => row.id)
}

export async function isChild(
  db: Queryable,
  { instituteId, registrationIds }: ParentKey,
  studentId: string,
): Promise<boolean> {
  const rows = await db.query(
    'select 1 from student_users where institute_id = $1 and student_id = $3 and registration_id = any($2) limit 1',
    [instituteId, registrationIds, studentId],
  )
  return rows.length === 1
}

/** The same child's records of other academic years that this user has, newest year first. */
export async function listOtherYears(
  db: Queryable,
  { instituteId, registrationIds }: ParentKey,
  studentId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select o.id from students s join students o on o.institute_id = s.institute_id and o.identifier = s.identifier
       and (o.academic_year_start, o.academic_year_end) <> (s.academic_year_start, s.academic_year_end)
       and o.id in (select student_id from student_users where institute_id = $1 and registration_id = any($2))
     where s.institute_id = $1 and s.id = $3
     order by o.academic_year_start desc, o.academic_year_end desc, o.id desc limit 10`,
    [instituteId, registrationIds, studentId],
  )
  return rows.map(({ id }) => id)
}

/** Users of this phone number or e-mail address who have children here, the first registered first. */
export async function listUsersByContact(
  db: Queryable,
  instituteId: number,
  contact: { phone: string } | { email: string },
  limit: number,
): Promise<string[]> {
  const [condition, value] =
    'phone' in contact
      ? ['phone_key(u.phone) = phone_key($2)', contact.phone]
      : ['lower(u.email) = lower($2)', contact.email]
  const rows = await db.query<{ id: string }>(
    `select u.registration_id as id from users u where u.institute_id = $1 and ${condition}
       and exists (select 1 from student_users l where l.institute_id = u.institute_id and l.registration_id = u.registration_id)
     order by u.created_at, u.id limit $3`,
    [instituteId, value, limit],
  )
  return rows.map(({ id }) => id)
}

/** What somebody says of a child: its admission number, as it may be written, and a day of birth or a phone number. */
export type ChildFact = { identifiers: readonly string[]; birthDate: string | null; phone: string | null }

/**
 * The records of the child of which this is true, oldest year first. A number that more users than `mostUsers` have is nobody's
 * own and proves nothing.
 */
export async function listByFact(
  db: Queryable,
  instituteId: number,
  { identifiers, birthDate, phone }: ChildFact,
  { mostUsers, limit }: { mostUsers: number; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select s.id from students s
     where s.institute_id = $1 and s.identifier = any($2) and (s.date_of_birth = $3::date
       or (phone_key($4::text) in (select phone_key(s.primary_contact_number) union all
             select phone_key(u.phone) from student_users l
             join users u on u.institute_id = l.institute_id and u.registration_id = l.registration_id
             where l.institute_id = s.institute_id and l.student_id = s.id)
         and (select count(*) from (select from users u
             where u.institute_id = $1 and phone_key(u.phone) = phone_key($4::text) limit $5 + 1) own) <= $5))
     order by s.academic_year_start desc, s.academic_year_end desc, s.id desc limit $6`,
    [instituteId, identifiers, birthDate, phone, mostUsers, limit],
  )
  return rows.map(({ id }) => id).toReversed()
}

/** Dues that a rollover carried to a later year: settled here, but not paid. */
export type CarriedDues = {
  studentId: string
  componentType: string
  amountPaise: Paise
  /** The later year. */
  yearStart: number
  yearEnd: number
}

export async function listCarriedDues(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<CarriedDues[]> {
  return db.query<CarriedDues>(
    `select t.student_id as "studentId", t.component_type as "componentType", t.amount_paise as "amountPaise",
       o.academic_year_start as "yearStart", o.academic_year_end as "yearEnd"
     from student_transfers t
     join students s on s.institute_id = t.institute_id and s.id = t.student_id
     join students o on o.institute_id = t.institute_id and o.id = t.other_student_id
       and o.academic_year_start > s.academic_year_start
     where t.institute_id = $1 and t.student_id = any($2) and t.amount_paise > 0 and t.number = 1
     order by t.transferred_at, t.component_type`,
    [instituteId, studentIds],
  )
}

/** A payment that the institute took itself. */
export type CounterPayment = Pick<DirectPayment, 'transactionId' | 'amountPaise' | 'paidAt' | 'mode'> & {
  studentId: string
  id: string
  lines: { componentType: string; amountPaise: Paise }[]
  receipt: ReceiptKey | null
  /** The part of it that the office has paid out again. */
  refundedPaise: Paise
}

/** Newest first; what was cancelled does not count as paid and is not among them. */
export async function listCounterPayments(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  limit: number,
): Promise<CounterPayment[]> {
  return db.query<CounterPayment>(
    `select p.student_id as "studentId", ${PAYMENT_COLUMNS}
     from direct_payments p where p.institute_id = $1 and p.student_id = any($2) and p.cancelled_at is null
     order by p.paid_at desc, p.transaction_id desc limit $3`,
    [instituteId, studentIds, limit],
  )
}

/** Who a student belongs to, the first linked first; those of its primary contact, however it is written, before all. */
export async function listUsersOf(
  db: Queryable,
  { instituteId, studentId }: { instituteId: number; studentId: string },
): Promise<{ registrationId: string; isContact: boolean }[]> {
  return db.query<{ registrationId: string; isContact: boolean }>(
    `select l.registration_id as "registrationId", phone_key(u.phone) = phone_key(s.primary_contact_number)
       and lower(u.email) = lower(s.primary_contact_email) as "isContact"
     from student_users l
     join users u on u.institute_id = l.institute_id and u.registration_id = l.registration_id
     join students s on s.institute_id = l.institute_id and s.id = l.student_id
     where l.institute_id = $1 and l.student_id = $2
     order by "isContact" desc, l.linked_at, l.registration_id`,
    [instituteId, studentId],
  )
}

/** The numbers at which the families of a parent's children are reached, each once. */
export async function listContactNumbers(
  db: Queryable,
  { instituteId, registrationIds }: ParentKey,
): Promise<string[]> {
  const rows = await db.query<{ phone: string }>(
    `select distinct on (phone_key(s.primary_contact_number)) s.primary_contact_number as phone
     from student_users l join students s on s.institute_id = l.institute_id and s.id = l.student_id
     where l.institute_id = $1 and l.registration_id = any($2)`,
    [instituteId, registrationIds],
  )
  return rows.map(({ phone }) => phone)
}
