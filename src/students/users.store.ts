import type { Transaction } from '../platform/db.ts'

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
