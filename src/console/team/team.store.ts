import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { HAS_FACTOR } from '../auth/second-factor/second-factor.store.ts'
import type { Role } from '../console.rules.ts'
import { Table } from '../../platform/db/table.ts'

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

type Row = {
  id: string
  email: string
  instituteId: number | null
  role: Role | null
  invitedBy: string
  createdAt: Date
  expiresAt: Date
}

export type Invitation = Row & { instituteName: string | null }
/** Joining an institute takes a role. */
export type OpenInvitation = Row & { role: Role }

const invitations = new Table<Row>('console_invitations', {
  id: 'text',
  email: 'text',
  instituteId: 'int',
  role: 'text',
  invitedBy: 'text',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
})
const withToken = invitations.with<{ tokenHash: Buffer }>({ tokenHash: 'bytea' })
const WRITTEN = ['id', 'tokenHash', 'email', 'instituteId', 'role', 'invitedBy', 'expiresAt'] as const

export async function insertInvitation(
  tx: Transaction,
  invitation: Omit<Row, 'createdAt'> & { tokenHash: Buffer },
): Promise<void> {
  await withToken.insert(tx, [invitation], { only: WRITTEN })
}

/** One that still opens something. */
export async function findOpen(db: Queryable, tokenHash: Buffer): Promise<Invitation | null> {
  const [row] = await db.query<Invitation>(
    `select ${invitations.columns('v')}, i.name as "instituteName"
     from console_invitations v left join institutes i on i.id = v.institute_id
     where v.token_hash = $1 and v.closed_at is null and v.expires_at > now()`,
    [tokenHash],
  )
  return row ?? null
}

/** False when somebody was faster. */
export async function closeInvitation(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.query(
    'update console_invitations set closed_at = now() where id = $1 and closed_at is null returning 1',
    [id],
  )
  return rows.length === 1
}

/** One that only chooses a password, and still does. */
export async function hasPasswordLinkSince(tx: Transaction, email: string, since: Date): Promise<boolean> {
  const rows = await tx.query(
    `select from console_invitations
     where email = $1 and institute_id is null and closed_at is null and created_at > $2 limit 1`,
    [email, since],
  )
  return rows.length > 0
}

/** Earlier ones to the same address for the same thing open nothing any more. */
export async function closeEarlier(
  tx: Transaction,
  email: string,
  instituteId: number | null,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update console_invitations set closed_at = now()
     where email = $1 and institute_id is not distinct from $2 and closed_at is null returning id`,
    [email, instituteId],
  )
  return rows.map(({ id }) => id)
}

export async function listOpen(db: Queryable, instituteId: number): Promise<OpenInvitation[]> {
  return db.query<OpenInvitation>(
    `select ${invitations.columns('v')} from console_invitations v
     where v.institute_id = $1 and v.closed_at is null and v.expires_at > now() order by v.id desc limit 200`,
    [instituteId],
  )
}

export async function withdraw(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<Pick<Row, 'email' | 'role'> | null> {
  const [row] = await tx.query<Pick<Row, 'email' | 'role'>>(
    `update console_invitations set closed_at = now()
     where institute_id = $1 and id = $2 and closed_at is null returning email, role`,
    [instituteId, id],
  )
  return row ?? null
}
