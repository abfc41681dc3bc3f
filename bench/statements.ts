import pg from 'pg'

/** Counts what this process sends to the database from now on. */
export function countStatements(): { statements: number } {
  const counted = { statements: 0 }
  const client = pg.Client.prototype as unknown as Record<'query', (...args: unknown[]) => unknown>
  const { query } = client
  client.query = function (...args) {
    counted.statements++
    return Reflect.apply(query, this, args)
  }
  return counted
}
