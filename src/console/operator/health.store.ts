import type { Queryable } from '../../platform/db/database.ts'

export type DatabaseFigures = { version: string; bytes: number; startedAt: Date }

export async function readDatabaseFigures(db: Queryable): Promise<DatabaseFigures> {
  const [row] = await db.query<DatabaseFigures>(
    `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
       pg_postmaster_start_time() as "startedAt"`,
  )
  if (row === undefined) throw new Error('a database always knows its version')
  return row
}
