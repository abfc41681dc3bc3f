import type { Queryable, Transaction } from '../platform/db/database.ts'
import { oneOf } from '../platform/db/query.ts'
import { Table } from '../platform/db/table.ts'
import { branches, INSTITUTE_COLUMNS } from './institute-row.ts'
import type { Branch, FamilyPages, Institute, CatalogueEntry, ApprovalLimits } from './institutes.rules.ts'
import type { Paise } from '../platform/money.ts'

export async function findInstitute(db: Queryable, code: string): Promise<Institute | null> {
  const [row] = await db.query<Institute>(`select ${INSTITUTE_COLUMNS} from institutes i where i.code = $1`, [
    code,
  ])
  return row ?? null
}

export async function findInstitutes(db: Queryable, ids: readonly number[]): Promise<Institute[]> {
  const { is, value } = oneOf('i.id', ids)
  return db.query<Institute>(`select ${INSTITUTE_COLUMNS} from institutes i where ${is}`, [value])
}

export async function listInstitutes(db: Queryable): Promise<Institute[]> {
  return db.query<Institute>(`select ${INSTITUTE_COLUMNS} from institutes i order by i.id`)
}

/** How a caller from outside names a school, and where that is kept for a school that has left this cell. */
const NAMED_BY = {
  code: 'code = $1',
  key: '$1 = any (key_ids)',
  account: '$1 = any (account_ids)',
  id: 'school_id::text = $1',
} as const

export type SchoolName = keyof typeof NAMED_BY

/** A school that has left, and where processes of its new cell are, as host:port; null: it has not left. */
export async function findLeft(
  db: Queryable,
  by: SchoolName,
  value: string,
): Promise<{ forwardTo: string[] } | null> {
  const [found] = await db.query<{ forwardTo: string[] }>(
    `select forward_to as "forwardTo" from moving_schools where side = 'left' and ${NAMED_BY[by]}`,
    [value],
  )
  return found ?? null
}

/** Null when the code is taken. */
export async function insertInstitute(
  tx: Transaction,
  institute: { code: string; name: string; strictCatalogue: boolean; callbackKeySealed: Buffer },
): Promise<number | null> {
  const [row] = await tx.query<{ id: number }>(
    `insert into institutes (code, name, strict_catalogue, callback_key_sealed) values ($1, $2, $3, $4)
     on conflict (code) do nothing returning id`,
    [institute.code, institute.name, institute.strictCatalogue, institute.callbackKeySealed],
  )
  return row?.id ?? null
}

export async function readCallbackKey(db: Queryable, instituteId: number): Promise<Buffer | null> {
  const [row] = await db.query<{ callback_key_sealed: Buffer }>(
    'select callback_key_sealed from institutes where id = $1',
    [instituteId],
  )
  return row?.callback_key_sealed ?? null
}

export async function setStrict(db: Queryable, instituteId: number, strict: boolean): Promise<void> {
  await db.query('update institutes set strict_catalogue = $2 where id = $1', [instituteId, strict])
}

export async function setFamilyPages(
  tx: Transaction,
  instituteId: number,
  { familyLanguage, hasParentSignIn, hasPoster }: FamilyPages,
): Promise<void> {
  await tx.query(
    'update institutes set family_language = $2, has_parent_sign_in = $3, has_poster = $4 where id = $1',
    [instituteId, familyLanguage, hasParentSignIn, hasPoster],
  )
}

/** Answers how it was before. */
export async function setSecondFactorRequired(
  tx: Transaction,
  instituteId: number,
  isRequired: boolean,
): Promise<boolean> {
  const [row] = await tx.query<{ before: boolean }>(
    'select requires_second_factor as before from institutes where id = $1 for update',
    [instituteId],
  )
  await tx.query('update institutes set requires_second_factor = $2 where id = $1', [instituteId, isRequired])
  return row?.before ?? false
}

export async function setErpLock(tx: Transaction, instituteId: number, isLocked: boolean): Promise<void> {
  await tx.query('update institutes set locks_erp_students = $2 where id = $1', [instituteId, isLocked])
}

export async function setName(tx: Transaction, instituteId: number, name: string): Promise<void> {
  await tx.query('update institutes set name = $2 where id = $1', [instituteId, name])
}

/** Holds the institute's row until the transaction ends, so that its branches and keys change one by one. */
export async function lockInstitute(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query('select 1 from institutes where id = $1 for update', [instituteId])
}

/** False when the collector code is taken. */
export async function insertBranch(tx: Transaction, instituteId: number, branch: Branch): Promise<boolean> {
  const onConflict = 'on conflict (institute_id, collector_code) do nothing'
  return (await branches.insert(tx, [{ ...branch, instituteId }], { onConflict })) === 1
}

export async function clearDefaultBranch(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query('update branches set is_default = false where institute_id = $1 and is_default', [
    instituteId,
  ])
}

export async function setDefaultBranch(
  tx: Transaction,
  instituteId: number,
  collectorCode: string,
): Promise<void> {
  await tx.query('update branches set is_default = true where institute_id = $1 and collector_code = $2', [
    instituteId,
    collectorCode,
  ])
}

type NamedEntry = CatalogueEntry & { name: string }

const catalogue = new Table<NamedEntry & { instituteId: number }>('catalogue_entries', {
  instituteId: 'int',
  kind: 'text',
  code: 'text',
  name: 'text',
})

export async function listCatalogue(db: Queryable, instituteId: number): Promise<NamedEntry[]> {
  return db.query<NamedEntry>(
    'select kind, code, name from catalogue_entries where institute_id = $1 order by kind, code',
    [instituteId],
  )
}

export async function insertEntries(
  db: Queryable,
  instituteId: number,
  entries: readonly CatalogueEntry[],
): Promise<void> {
  const rows = entries.map(entry => ({ ...entry, instituteId, name: entry.code }))
  await catalogue.insert(db, rows, { onConflict: 'on conflict do nothing' })
}

/** The components that are held for families and given back. */
export async function listDeposits(db: Queryable, instituteId: number): Promise<string[]> {
  const rows = await db.query<{ code: string }>(
    `select code from catalogue_entries where institute_id = $1 and kind = 'component' and is_deposit order by code`,
    [instituteId],
  )
  return rows.map(({ code }) => code)
}

/** Marks these and no others. */
export async function markDeposits(
  tx: Transaction,
  instituteId: number,
  codes: readonly string[],
): Promise<void> {
  await tx.query(
    `update catalogue_entries set is_deposit = code = any($2)
     where institute_id = $1 and kind = 'component' and is_deposit <> (code = any($2))`,
    [instituteId, codes],
  )
}

/** Adds an entry or gives a known one its name. */
export async function nameEntry(db: Queryable, instituteId: number, entry: NamedEntry): Promise<void> {
  const onConflict = 'on conflict (institute_id, kind, code) do update set name = excluded.name'
  await catalogue.insert(db, [{ ...entry, instituteId }], { onConflict })
}

export async function findGradeName(
  db: Queryable,
  instituteId: number,
  code: string,
): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(
    `select name from catalogue_entries where institute_id = $1 and kind = 'grade' and code = $2`,
    [instituteId, code],
  )
  return row?.name ?? null
}

/** What people of the office are called, by their e-mail addresses; not whoever has no account here any more. */
export async function listStaffNames(
  db: Queryable,
  emails: readonly string[],
): Promise<{ email: string; name: string }[]> {
  return db.query<{ email: string; name: string }>(
    'select email, name from console_users where email = any($1)',
    [emails],
  )
}

const LIMITS = `select above_paise as "perActPaise", above_per_child_paise as "perChildPaise"
  from approval_limits where institute_id = $1`

export async function findLimits(db: Queryable, instituteId: number): Promise<ApprovalLimits | null> {
  const [row] = await db.query<ApprovalLimits>(LIMITS, [instituteId])
  return row ?? null
}

export async function lockLimits(tx: Transaction, instituteId: number): Promise<ApprovalLimits | null> {
  const [row] = await tx.query<ApprovalLimits>(`${LIMITS} for update`, [instituteId])
  return row ?? null
}

export async function writeLimits(
  tx: Transaction,
  instituteId: number,
  limits: ApprovalLimits | null,
): Promise<void> {
  if (limits === null) await tx.query('delete from approval_limits where institute_id = $1', [instituteId])
  else
    await tx.query(
      `insert into approval_limits (institute_id, above_paise, above_per_child_paise) values ($1, $2, $3)
       on conflict (institute_id) do update set above_paise = excluded.above_paise,
         above_per_child_paise = excluded.above_per_child_paise`,
      [instituteId, limits.perActPaise, limits.perChildPaise],
    )
}

type GivenAmount = {
  instituteId: number
  id: string
  about: string
  act: string
  amountPaise: Paise
  refundId: string | null
  givenAt: Date
}

const givenAlone = new Table<GivenAmount>('given_alone', {
  instituteId: 'int',
  id: 'text',
  about: 'text',
  act: 'text',
  amountPaise: 'bigint',
  refundId: 'text',
  givenAt: 'timestamptz',
})

export async function insertGiven(tx: Transaction, given: readonly GivenAmount[]): Promise<void> {
  await givenAlone.insert(tx, given)
}

export async function sumGiven(
  db: Queryable,
  instituteId: number,
  abouts: readonly string[],
): Promise<Map<string, Paise>> {
  const rows = await db.query<{ about: string; paise: Paise }>(
    `select about, sum(amount_paise)::bigint as paise from given_alone
     where institute_id = $1 and about = any($2) group by about`,
    [instituteId, abouts],
  )
  return new Map(rows.map(({ about, paise }) => [about, paise]))
}

export async function deleteOfRefund(tx: Transaction, instituteId: number, refundId: string): Promise<void> {
  await tx.query('delete from given_alone where institute_id = $1 and refund_id = $2', [
    instituteId,
    refundId,
  ])
}
