import type { Queryable } from '../platform/db.ts'
import type { CatalogueEntry } from './institutes.rules.ts'

export async function listCatalogue(
  db: Queryable,
  instituteId: number,
): Promise<(CatalogueEntry & { name: string })[]> {
  return db.query<CatalogueEntry & { name: string }>(
    'select kind, code, name from catalogue_entries where institute_id = $1 order by kind, code',
    [instituteId],
  )
}

export async function insertEntries(
  db: Queryable,
  instituteId: number,
  entries: readonly CatalogueEntry[],
): Promise<void> {
  await db.query(
    `insert into catalogue_entries (institute_id, kind, code, name)
     select $1, kind, code, code from unnest($2::text[], $3::text[]) as entry (kind, code)
     on conflict do nothing`,
    [instituteId, entries.map(entry => entry.kind), entries.map(entry => entry.code)],
  )
}

/** Adds an entry or gives a known one its name. */
export async function nameEntry(
  db: Queryable,
  instituteId: number,
  entry: CatalogueEntry & { name: string },
): Promise<void> {
  await db.query(
    `insert into catalogue_entries (institute_id, kind, code, name) values ($1, $2, $3, $4)
     on conflict (institute_id, kind, code) do update set name = excluded.name`,
    [instituteId, entry.kind, entry.code, entry.name],
  )
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
