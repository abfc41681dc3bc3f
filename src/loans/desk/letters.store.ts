import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { LoanKey } from '../loans.store.ts'

export async function putLetter(
  tx: Transaction,
  { instituteId, applicationId }: LoanKey,
  { content, digest, at }: { content: Buffer; digest: Buffer; at: Date },
): Promise<void> {
  await tx.query(
    `insert into cred_letters (institute_id, application_id, content, digest, uploaded_at) values ($1, $2, $3, $4, $5)
     on conflict (institute_id, application_id) do update
       set content = excluded.content, digest = excluded.digest, uploaded_at = excluded.uploaded_at`,
    [instituteId, applicationId, content, digest, at],
  )
}

export async function findLetter(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
): Promise<Buffer | null> {
  const [row] = await db.query<{ content: Buffer }>(
    'select content from cred_letters where institute_id = $1 and application_id = $2',
    [instituteId, applicationId],
  )
  return row?.content ?? null
}

export async function findLetterTime(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>(
    'select uploaded_at as at from cred_letters where institute_id = $1 and application_id = $2',
    [instituteId, applicationId],
  )
  return row?.at ?? null
}
