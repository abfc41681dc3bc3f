import type { Queryable } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { CatalogueEntry } from './institutes.rules.ts'

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
