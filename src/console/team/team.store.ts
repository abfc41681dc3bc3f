import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { HAS_FACTOR } from '../auth/second-factor/second-factor.store.ts'
import type { Role } from '../console.rules.ts'

export type Member = {
  userId: string
  email: string
  name: string
  role: Role
  joinedAt: Date
  hasFactor: boolean
  isDisabled: boolean
  lastSeenAt: Date | null
}

export async function listMembers(db: Queryable, instituteId: number): Promise<Member[]> {
  return db.query<Member>(
    `select u.id as "userId", u.email, u.name, m.role, m.created_at as "joinedAt",
       ${HAS_FACTOR} as "hasFactor", u.disabled_at is not null as "isDisabled",
       (select max(s.last_seen_at) from console_sessions s where s.user_id = u.id) as "lastSeenAt"
     from console_memberships m join console_users u on u.id = m.user_id
     where m.institute_id = $1 order by u.name, u.id limit 500`,
    [instituteId],
  )
}

/** The addresses of people of these institutes who have one of the roles and may sign in. */
export async function listAddresses(
  db: Queryable,
  instituteIds: readonly number[],
  roles: readonly Role[],
): Promise<{ instituteId: number; email: string }[]> {
  return db.query(
    `select m.institute_id as "instituteId", u.email
     from console_memberships m join console_users u on u.id = m.user_id
     where m.institute_id = any ($1) and m.role = any ($2) and u.disabled_at is null
     order by m.institute_id, u.email`,
    [instituteIds, roles],
  )
}

/** Holds all memberships of the institute, so that two owners cannot remove each other at once. */
export async function lockMembers(
  tx: Transaction,
  instituteId: number,
): Promise<{ userId: string; email: string; role: Role; isDisabled: boolean }[]> {
  return tx.query(
    `select m.user_id as "userId", u.email, m.role, u.disabled_at is not null as "isDisabled"
     from console_memberships m join console_users u on u.id = m.user_id
     where m.institute_id = $1 order by m.user_id for update of m`,
    [instituteId],
  )
}

export async function putMember(
  tx: Transaction,
  instituteId: number,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  await tx.query(
    `insert into console_memberships (institute_id, user_id, role) values ($1, $2, $3)
     on conflict (institute_id, user_id) do update set role = excluded.role`,
    [instituteId, userId, role],
  )
}

export async function putLenderMember(tx: Transaction, lender: string, userId: string): Promise<void> {
  await tx.query(
    `insert into console_lender_members (lender, user_id) values ($1, $2) on conflict (lender, user_id) do nothing`,
    [lender, userId],
  )
}

/** Addresses of the people of an institute who have one of these roles. */
export async function listEmails(
  db: Queryable,
  instituteId: number,
  roles: readonly Role[],
): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select u.email from console_memberships m join console_users u on u.id = m.user_id
     where m.institute_id = $1 and m.role = any($2) and u.disabled_at is null order by u.email limit $3`,
    [instituteId, roles, MOST_TOLD],
  )
  return rows.map(({ email }) => email)
}

export async function listLenderEmails(db: Queryable, lender: string): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select u.email from console_lender_members m join console_users u on u.id = m.user_id
     where m.lender = $1 and u.disabled_at is null order by u.email limit $2`,
    [lender, MOST_TOLD],
  )
  return rows.map(({ email }) => email)
}

/** People who get one mail; an office has fewer. */
const MOST_TOLD = 20

export async function isOnBothSides(tx: Transaction, userId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from console_lender_members l join console_memberships m on m.user_id = l.user_id
     where l.user_id = $1 limit 1`,
    [userId],
  )
  return rows.length > 0
}

export async function removeMember(tx: Transaction, instituteId: number, userId: string): Promise<void> {
  await tx.query('delete from console_memberships where institute_id = $1 and user_id = $2', [
    instituteId,
    userId,
  ])
}

export async function firstInstituteOf(db: Queryable, userId: string): Promise<number | null> {
  const [row] = await db.query<{ institute_id: number }>(
    `select institute_id from console_memberships where user_id = $1
     union all
     select c.institute_id from console_lender_members m join institute_lenders c on c.lender = m.lender
     where m.user_id = $1
     order by institute_id limit 1`,
    [userId],
  )
  return row?.institute_id ?? null
}

/** More than anybody works for, whose names a password is held against. */
const MOST_NAMES = 20

export async function instituteNamesOf(db: Queryable, userId: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select i.name from console_memberships m join institutes i on i.id = m.institute_id
     where m.user_id = $1 order by i.id limit $2`,
    [userId, MOST_NAMES],
  )
  return rows.map(({ name }) => name)
}
