import { escapeIdentifier } from 'pg'
import type { Queryable } from '../../platform/db/database.ts'
import type { Table } from './catalogue.store.ts'
import type { Fingerprint } from './move.rules.ts'

async function fingerprint(db: Queryable, schoolId: number, { name, columns }: Table): Promise<Fingerprint> {
  const row = columns.map(escapeIdentifier).join(', ')
  const [found] = await db.query<{ rows: number; hash: string }>(
    `select count(*) as rows, coalesce(sum(hashtextextended(row(${row})::text, 0)), 0)::text as hash
     from ${escapeIdentifier(name)} where institute_id = $1`,
    [schoolId],
  )
  return { table: name, rows: found?.rows ?? 0, hash: found?.hash ?? '' }
}

/** Uses several connections at once, because nobody can write meanwhile. */
export async function fingerprintAll(
  connections: readonly Queryable[],
  schoolId: number,
  tables: readonly Table[],
): Promise<Fingerprint[]> {
  const left = [...tables]
  const found: Fingerprint[] = []
  const work = async (db: Queryable): Promise<void> => {
    for (let table = left.shift(); table !== undefined; table = left.shift())
      found.push(await fingerprint(db, schoolId, table))
  }
  await Promise.all(connections.map(work))
  return found
}

/** The balance of each account of the ledger, as text. */
export async function readBalances(db: Queryable, schoolId: number): Promise<string> {
  const rows = await db.query<{ account: string; balance: string }>(
    `select account, sum(paise)::text as balance from (
       select destination as account, amount_paise as paise from ledger_transfers where institute_id = $1
       union all select source, -amount_paise from ledger_transfers where institute_id = $1) t
     group by account order by account`,
    [schoolId],
  )
  return rows.map(({ account, balance }) => `${account} ${balance}`).join(', ')
}
