import pg from 'pg'
import { typeParsers } from '../../src/platform/db/client.ts'
import type { TestBursar } from '../harness/bursar.ts'

/**
 * Looks into the database over connections of its own: to read all books of a year may take longer than the product lets
 * any statement take.
 */
export function openBooks(
  bursar: TestBursar,
  owner: { after(done: () => Promise<void> | void): void },
): TestBursar['sql'] {
  const pool = new pg.Pool({
    connectionString: bursar.app.config.databaseUrl ?? '',
    types: typeParsers,
    max: 4,
  })
  // The database may be dropped before we leave it.
  pool.on('error', () => {})
  owner.after(() => pool.end())
  return async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows
}
