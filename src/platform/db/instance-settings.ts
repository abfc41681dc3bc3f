import type { Queryable, Transaction } from './database.ts'

/** Settings of the installation itself that live in its database. */
type Setting =
  | 'mode'
  /** The version of Bursar that brought the schema to where it is. */
  | 'migrated_by'
  | 'master_key_fingerprint'
  | 'clock_offset_ms'
  | 'clock_target'
  | 'sandbox_seeded'
  | 'sandbox_console_seeded'
  | 'demo'
  | 'settlements_read_at'
  | 'flex_figures'
  | 'books_check'
  | 'health_history'
  | 'second_factor'
  | 'cell'
  | 'next_institute_range'

/** Held until the transaction ends, also before the setting has been written for the first time. */
export async function lockSetting(tx: Transaction, key: Setting): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`bursar setting ${key}`])
}

export async function readSetting(db: Queryable, key: Setting): Promise<string | null> {
  const [row] = await db.query<{ value: string }>('select value from instance_settings where key = $1', [key])
  return row?.value ?? null
}

export async function writeSetting(db: Queryable, key: Setting, value: string): Promise<void> {
  await db.query(
    `insert into instance_settings (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [key, value],
  )
}

/** Writes it unless it is there already; answers what stands there now. */
export async function claimSetting(db: Queryable, key: Setting, value: string): Promise<string> {
  await db.query('insert into instance_settings (key, value) values ($1, $2) on conflict (key) do nothing', [
    key,
    value,
  ])
  return (await readSetting(db, key)) ?? value
}
