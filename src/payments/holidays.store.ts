import type { Queryable, Transaction } from '../platform/db/database.ts'

export type Holiday = { day: string; name: string }

/** Begins with a day, the earliest first. */
export async function listHolidays(
  db: Queryable,
  { from, after, limit }: { from: string; after: string | undefined; limit: number },
): Promise<Holiday[]> {
  return db.query<Holiday>(
    'select day, name from holidays where day >= $1 and ($2::date is null or day > $2) order by day limit $3',
    [from, after ?? null, limit],
  )
}

/** False when the day is one already. */
export async function insertHoliday(tx: Transaction, { day, name }: Holiday): Promise<boolean> {
  const rows = await tx.query(
    'insert into holidays (day, name) values ($1, $2) on conflict (day) do nothing returning 1',
    [day, name],
  )
  return rows.length === 1
}

/** Null when it was none. */
export async function deleteHoliday(tx: Transaction, day: string): Promise<Holiday | null> {
  const [row] = await tx.query<Holiday>('delete from holidays where day = $1 returning day, name', [day])
  return row ?? null
}

export async function readHolidays(db: Queryable): Promise<Set<string>> {
  const rows = await db.query<{ day: string }>('select day from holidays')
  return new Set(rows.map(row => row.day))
}
