import type { Transaction } from '../../platform/db/database.ts'

export type NewUser = { id: string; registrationId: string; name: string; phone: string; email: string }

/** Those whose registration id is known stay as they are. Always in the same order, so that none waits in a ring. */
export async function ensureUsers(
  tx: Transaction,
  instituteId: number,
  users: readonly NewUser[],
  createdAt: Date,
): Promise<void> {
  await tx.query(
    `insert into users (institute_id, registration_id, id, name, phone, email, created_at)
     select $1, u.registration_id, u.id, u.name, u.phone, u.email, $2
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as u (registration_id, id, name, phone, email)
     order by u.registration_id
     on conflict (institute_id, registration_id) do nothing`,
    [
      instituteId,
      createdAt,
      users.map(user => user.registrationId),
      users.map(user => user.id),
      users.map(user => user.name),
      users.map(user => user.phone),
      users.map(user => user.email),
    ],
  )
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

/** Whoever looks for this contact next waits for the end of the transaction. */
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
