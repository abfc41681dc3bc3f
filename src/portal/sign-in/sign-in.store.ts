import type { Database, Transaction } from '../../platform/db/database.ts'
import { CODE_MINUTES, MOST_TRIES, type Asked } from './sign-in.rules.ts'

/** Codes are of real time, because the sandbox clock can be moved. */
export type NewSignIn = {
  instituteId: number
  id: string
  browserHash: Buffer
  codeHash: Buffer
  contactHash: Buffer
  registrationIds: readonly string[]
}

/** Those who ask for one contact at once are counted in turn. */
export async function lockContact(tx: Transaction, instituteId: number, contactHash: Buffer): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('sign-in ' || $1::int || encode($2, 'hex'), 0))`,
    [instituteId, contactHash],
  )
}

export async function countAsked(tx: Transaction, instituteId: number, contactHash: Buffer): Promise<Asked> {
  const [row] = await tx.query<Asked>(
    `select c.now as "ofContactNow", c.today as "ofContactToday", i.codes as "ofInstitute", i.tries
     from (
       select count(*) filter (where created_at > now() - interval '15 minutes')::int as now, count(*)::int as today
       from parent_sign_ins
       where institute_id = $1 and contact_hash = $2 and created_at > now() - interval '1 day'
     ) c, (
       select count(*)::int as codes, coalesce(sum(tries), 0)::int as tries
       from parent_sign_ins where institute_id = $1 and created_at > now() - interval '1 hour'
     ) i`,
    [instituteId, contactHash],
  )
  if (row === undefined) throw new Error('an aggregate without a row')
  return row
}

export async function insertSignIn(tx: Transaction, signIn: NewSignIn): Promise<void> {
  await tx.query(
    `insert into parent_sign_ins (institute_id, id, browser_hash, code_hash, contact_hash, registration_ids)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      signIn.instituteId,
      signIn.id,
      signIn.browserHash,
      signIn.codeHash,
      signIn.contactHash,
      signIn.registrationIds,
    ],
  )
}

type Tried = { codeHash: Buffer; registrationIds: string[]; tries: number }

/** Counts a try, however many come at once; null when the code is too old, used, tried out or not this browser's. */
export async function countTry(
  tx: Transaction,
  key: { instituteId: number; id: string; browserHash: Buffer },
): Promise<Tried | null> {
  const [row] = await tx.query<Tried>(
    `update parent_sign_ins set tries = tries + 1
     where institute_id = $1 and id = $2 and browser_hash = $3 and spent_at is null and tries < ${MOST_TRIES}
       and created_at > now() - interval '${CODE_MINUTES} minutes'
     returning code_hash as "codeHash", registration_ids as "registrationIds", tries`,
    [key.instituteId, key.id, key.browserHash],
  )
  return row ?? null
}

export async function markSpent(tx: Transaction, instituteId: number, id: string): Promise<void> {
  await tx.query('update parent_sign_ins set spent_at = now() where institute_id = $1 and id = $2', [
    instituteId,
    id,
  ])
}

/** Those that no limit counts any more. */
export async function purgeOld(db: Database, limit: number): Promise<number> {
  const rows = await db.overAll(
    among => `delete from parent_sign_ins where ${among('institute_id')} and (institute_id, id) in (
       select institute_id, id from parent_sign_ins where ${among('institute_id')} and created_at <= now() - interval '1 day' limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
