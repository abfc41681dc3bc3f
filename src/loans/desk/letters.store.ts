import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { LoanKey } from '../loans.store.ts'

/** The lock of the application keeps two uploads from the same version. */
export async function insertLetter(
  tx: Transaction,
  { instituteId, applicationId }: LoanKey,
  { version, content, digest, at }: { version: number; content: Buffer; digest: Buffer; at: Date },
): Promise<void> {
  await tx.query(
    `insert into cred_letters (institute_id, application_id, version, content, digest, uploaded_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [instituteId, applicationId, version, content, digest, at],
  )
}

/** The newest, or one version. */
export async function findLetter(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
  version: number | null,
): Promise<Buffer | null> {
  const [row] = await db.query<{ content: Buffer }>(
    `select content from cred_letters
     where institute_id = $1 and application_id = $2 and ($3::int is null or version = $3)
     order by version desc limit 1`,
    [instituteId, applicationId, version],
  )
  return row?.content ?? null
}

export type LetterVersion = { version: number; uploadedAt: Date }

/** Newest first. */
export async function listLetters(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
): Promise<LetterVersion[]> {
  return db.query<LetterVersion>(
    `select version, uploaded_at as "uploadedAt" from cred_letters
     where institute_id = $1 and application_id = $2 order by version desc`,
    [instituteId, applicationId],
  )
}
