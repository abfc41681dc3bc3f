import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'

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
