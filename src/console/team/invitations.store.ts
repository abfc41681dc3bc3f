import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Role } from '../console.rules.ts'

export type Invitation = {
  id: string
  email: string
  instituteId: number | null
  instituteName: string | null
  instituteCode: string | null
  role: Role | null
  invitedBy: string
  createdAt: Date
  expiresAt: Date
}

const COLUMNS = `v.id, v.email, v.institute_id as "instituteId", i.name as "instituteName", i.code as "instituteCode",
  v.role, v.invited_by as "invitedBy", v.created_at as "createdAt", v.expires_at as "expiresAt"`

export async function insertInvitation(
  tx: Transaction,
  invitation: Omit<Invitation, 'createdAt' | 'instituteName' | 'instituteCode'> & { tokenHash: Buffer },
): Promise<void> {
  await tx.query(
    `insert into console_invitations (id, token_hash, email, institute_id, role, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      invitation.id,
      invitation.tokenHash,
      invitation.email,
      invitation.instituteId,
      invitation.role,
      invitation.invitedBy,
      invitation.expiresAt,
    ],
  )
}

/** One that still opens something. */
export async function findOpen(db: Queryable, tokenHash: Buffer): Promise<Invitation | null> {
  const [row] = await db.query<Invitation>(
    `select ${COLUMNS} from console_invitations v left join institutes i on i.id = v.institute_id
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

/** Earlier ones to the same address for the same thing open nothing any more. */
export async function closeEarlier(
  tx: Transaction,
  email: string,
  instituteId: number | null,
): Promise<void> {
  await tx.query(
    `update console_invitations set closed_at = now()
     where email = $1 and institute_id is not distinct from $2 and closed_at is null`,
    [email, instituteId],
  )
}

export async function listOpen(db: Queryable, instituteId: number): Promise<Invitation[]> {
  return db.query<Invitation>(
    `select ${COLUMNS} from console_invitations v join institutes i on i.id = v.institute_id
     where v.institute_id = $1 and v.closed_at is null and v.expires_at > now() order by v.id desc limit 200`,
    [instituteId],
  )
}

export async function withdraw(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<Pick<Invitation, 'email' | 'role'> | null> {
  const [row] = await tx.query<Pick<Invitation, 'email' | 'role'>>(
    `update console_invitations set closed_at = now()
     where institute_id = $1 and id = $2 and closed_at is null returning email, role`,
    [instituteId, id],
  )
  return row ?? null
}
