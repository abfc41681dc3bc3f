import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Role } from '../console.rules.ts'

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
