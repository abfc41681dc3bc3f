import type { Queryable } from '../../../platform/db/database.ts'

/** SQL: whether the person `u` has a second factor. */
export const HAS_FACTOR = `(u.totp_confirmed_at is not null
  or exists (select from console_passkeys k where k.user_id = u.id))`

/** SQL: whether the operator, or a school that the person `u` works for, requires one. Demo people have no password to add it to. */
export const REQUIRES_FACTOR = `(not u.is_demo and (
  exists (select from instance_settings t where t.key = 'second_factor' and t.value = 'required')
  or exists (select from console_memberships r join institutes q on q.id = r.institute_id
    where r.user_id = u.id and q.requires_second_factor)))`

export async function isRequiredOf(db: Queryable, userId: string): Promise<boolean> {
  const [row] = await db.query<{ isRequired: boolean }>(
    `select ${REQUIRES_FACTOR} as "isRequired" from console_users u where u.id = $1`,
    [userId],
  )
  return row?.isRequired ?? false
}

export async function isRequiredAt(db: Queryable, instituteId: number): Promise<boolean> {
  const [row] = await db.query<{ isRequired: boolean }>(
    'select requires_second_factor as "isRequired" from institutes where id = $1',
    [instituteId],
  )
  return row?.isRequired ?? false
}
