import type { Client } from 'pg'
import type { Manifest } from './format.ts'

/** What a restore has to agree with; nulls before Bursar has created its tables. */
export async function readInstance(
  client: Client,
): Promise<Pick<Manifest, 'schema_version' | 'master_key_fingerprint'>> {
  const { rows: found } = await client.query<{ has_tables: boolean }>(
    `select to_regclass('public.schema_migrations') is not null
       and to_regclass('public.instance_settings') is not null as has_tables`,
  )
  if (found[0]?.has_tables !== true) return { schema_version: null, master_key_fingerprint: null }
  const { rows } = await client.query<{
    schema_version: number | null
    master_key_fingerprint: string | null
  }>(
    `select (select max(version) from schema_migrations) as schema_version,
       (select value from instance_settings where key = 'master_key_fingerprint') as master_key_fingerprint`,
  )
  return rows[0]!
}
