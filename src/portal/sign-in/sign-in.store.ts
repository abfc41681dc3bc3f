import { isHere } from '../../platform/db/query.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { ATTACK, CODE_WINDOW_MINUTES } from '../../platform/rate-limits.rules.ts'
import { CODE_MINUTES, MOST_TRIES, type CodeRequestCounts } from './sign-in.rules.ts'

/** Codes are of real time, because the sandbox clock can be moved. */
export type NewSignIn = {
  instituteId: number
  id: string
  browserHash: Buffer
  codeHash: Buffer
  contactHash: Buffer
  networkHash: Buffer
  /** A browser in which the family signed in before has a count of its own. */
  knownBrowser: Buffer | null
  registrationIds: readonly string[]
}

/** Requests for one contact at the same moment are counted one after the other. */
export async function lockContact(tx: Transaction, instituteId: number, contactHash: Buffer): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('sign-in ' || $1::int || encode($2, 'hex'), 0))`,
    [instituteId, contactHash],
  )
}

export async function countAsked(
  tx: Transaction,
  by: Pick<NewSignIn, 'instituteId' | 'contactHash' | 'networkHash' | 'knownBrowser'>,
): Promise<CodeRequestCounts> {
  const ofContact = await countOfContact(tx, by)
  const [row] = await tx.query<{ network: number; institute: number }>(
    `select (
       select count(*)::int from parent_sign_ins
       where institute_id = $1 and network_hash = $2 and created_at > now() - ${NOW} and spent_at is null
     ) as network, (
       select count(*)::int from (
         select from parent_sign_ins
         where institute_id = $1 and created_at > now() - interval '1 hour' and spent_at is null
           and known_browser is null
         limit ${ATTACK.unusedAnHour}
       ) s
     ) as institute`,
    [by.instituteId, by.networkHash],
  )
  if (row === undefined) throw new Error('an aggregate without a row')
  return { ...ofContact, networkUnused: row.network, instituteUnused: row.institute }
}

const NOW = `interval '${CODE_WINDOW_MINUTES} minutes'`

async function countOfContact(
  tx: Transaction,
  by: Pick<NewSignIn, 'instituteId' | 'contactHash' | 'networkHash' | 'knownBrowser'>,
): Promise<Pick<CodeRequestCounts, 'own' | 'contact'>> {
  const own = `(case when $4::bytea is null then network_hash = $3 and known_browser is null
    else known_browser is not distinct from $4 end)`
  const [row] = await tx.query<Record<'ownNow' | 'ownUnused' | 'now' | 'unused', number>>(
    `select count(*) filter (where is_now and is_own)::int as "ownNow",
       count(*) filter (where is_unused and is_own)::int as "ownUnused",
       count(*) filter (where is_now and is_stranger)::int as now,
       count(*) filter (where is_unused and is_stranger)::int as unused
     from (
       select created_at > now() - ${NOW} as is_now, spent_at is null as is_unused,
         known_browser is null as is_stranger, ${own} as is_own
       from parent_sign_ins
       where institute_id = $1 and contact_hash = $2 and created_at > now() - interval '1 day'
     ) s`,
    [by.instituteId, by.contactHash, by.networkHash, by.knownBrowser],
  )
  if (row === undefined) throw new Error('an aggregate without a row')
  return {
    own: { now: row.ownNow, unusedToday: row.ownUnused },
    contact: { now: row.now, unusedToday: row.unused },
  }
}

export async function insertSignIn(tx: Transaction, signIn: NewSignIn): Promise<void> {
  await tx.query(
    `insert into parent_sign_ins
       (institute_id, id, browser_hash, code_hash, contact_hash, network_hash, known_browser, registration_ids)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      signIn.instituteId,
      signIn.id,
      signIn.browserHash,
      signIn.codeHash,
      signIn.contactHash,
      signIn.networkHash,
      signIn.knownBrowser,
      signIn.registrationIds,
    ],
  )
}

type TriedSignIn = { codeHash: Buffer; contactHash: Buffer; registrationIds: string[]; tries: number }

/** Counts a try, however many come at once; null when the code is too old, used, tried out or not this browser's. */
export async function countTry(
  tx: Transaction,
  key: { instituteId: number; id: string; browserHash: Buffer },
): Promise<TriedSignIn | null> {
  const [row] = await tx.query<TriedSignIn>(
    `update parent_sign_ins set tries = tries + 1
     where institute_id = $1 and id = $2 and browser_hash = $3 and spent_at is null and tries < ${MOST_TRIES}
       and created_at > now() - interval '${CODE_MINUTES} minutes'
     returning code_hash as "codeHash", contact_hash as "contactHash", registration_ids as "registrationIds", tries`,
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

/** Deletes requests that no limit counts any more. */
export async function purgeOld(db: Database, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from parent_sign_ins where (institute_id, id) in (
       select institute_id, id from parent_sign_ins where created_at <= now() - interval '1 day' and ${isHere()} limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
