import type { Client } from 'pg'
import type { Placement } from './placement.rules.ts'

/** After the work: what would let wrong rows in, or keep right ones out. All of it in words; none is good. */
export async function verifyDistribution(
  client: Client,
  placements: readonly Placement[],
): Promise<string[]> {
  return [
    ...(await misplaced(client)),
    ...(await unguarded(client, placements)),
    ...(await unbalanced(client)),
  ]
}

/** Rows of one school lie together only if all tables are cut alike. */
async function misplaced(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select logicalrelid::regclass::text as name from pg_dist_partition where partmethod = 'h'
       and colocationid <> (select colocationid from pg_dist_partition where logicalrelid = 'students'::regclass)`,
  )
  return rows.map(({ name }) => `${name} does not lie beside the students of its school`)
}

/** Citus puts some kinds of triggers on the table alone, where no row is ever written. */
async function unguarded(client: Client, placements: readonly Placement[]): Promise<string[]> {
  const wanted = `select count(*)::text from pg_trigger where tgrelid = '%s'::regclass and not tgisinternal
    and (tgtype & 32) = 0 and tgenabled = 'O'`
  const found: string[] = []
  for (const { name, kind } of placements) {
    if (kind !== 'distributed') continue
    const { rows } = await client.query<{ count: string }>(wanted.replace('%s', name))
    const expected = rows[0]?.count ?? '0'
    if (expected === '0') continue
    const { rows: shards } = await client.query<{ shardid: string; success: boolean; result: string }>(
      'select shardid, success, result from run_command_on_shards($1, $2)',
      [name, wanted],
    )
    for (const { shardid, success, result } of shards)
      if (!success || result !== expected)
        found.push(`shard ${shardid} of ${name} has ${result} of ${expected} triggers`)
  }
  return found
}

async function unbalanced(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ institute: number; id: string }>(
    `select p.institute_id as institute, p.id::text from ledger_postings p
     left join ledger_transfers t on t.institute_id = p.institute_id and t.posting_id = p.id
     where t.posting_id is null limit 20`,
  )
  return rows.map(({ institute, id }) => `the ledger posting ${id} of institute ${institute} has no transfer`)
}
