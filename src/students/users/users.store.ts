import type { Transaction } from '../../platform/db/database.ts'

/** Makes the user unless the registration id is known already; a known one stays as it is. */
export async function ensureUser(
  tx: Transaction,
  instituteId: number,
  user: { id: string; registrationId: string; name: string; phone: string; email: string; createdAt: Date },
): Promise<void> {
  await tx.query(
    `insert into users (institute_id, registration_id, id, name, phone, email, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (institute_id, registration_id) do nothing`,
    [instituteId, user.registrationId, user.id, user.name, user.phone, user.email, user.createdAt],
  )
}

export async function linkUser(
  tx: Transaction,
  instituteId: number,
  link: { studentId: string; registrationId: string; linkedAt: Date },
): Promise<void> {
  await tx.query(
    `insert into student_users (institute_id, student_id, registration_id, linked_at)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [instituteId, link.studentId, link.registrationId, link.linkedAt],
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
