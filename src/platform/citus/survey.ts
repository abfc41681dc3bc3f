import { escapeIdentifier, type Client } from 'pg'
import { readSchemaChecksums } from '../db/migrate.ts'
import { findObstacles, placeTables, type Kind, type Placement } from './placement.rules.ts'
import { examineServer, findConnected, type Node } from './preflight.ts'
import { isHalfDistributed, queryableOf, readKinds, readTables } from './tables.ts'

/** What would be done, and all that stands in the way of it. */
export type Survey = {
  citus: string | null
  nodes: Node[]
  /** A run before was not finished. */
  isUnderWay: boolean
  tables: (Placement & { rows: number; is: Kind | 'ordinary' })[]
  obstacles: string[]
}

export async function survey(client: Client): Promise<Survey> {
  const server = await examineServer(client)
  const tables = await readTables(client)
  const placements = placeTables(tables)
  const kinds = server.version === null ? new Map<string, Kind>() : await readKinds(client)
  const counted: Survey['tables'] = []
  for (const placement of placements)
    counted.push({
      ...placement,
      rows: await countRows(client, placement.name),
      is: kinds.get(placement.name) ?? 'ordinary',
    })
  return {
    citus: server.version,
    nodes: server.nodes,
    isUnderWay: await isHalfDistributed(queryableOf(client)),
    tables: counted,
    obstacles: [
      ...server.obstacles,
      ...(await schemaObstacles(client)),
      ...findObstacles(tables, placements),
      ...(await findConnected(client)),
    ],
  }
}

async function countRows(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `select count(*)::text as rows from ${escapeIdentifier(table)}`,
  )
  return Number(rows[0]!.rows)
}

async function schemaObstacles(client: Client): Promise<string[]> {
  const { rows: found } = await client.query<{ found: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as found`,
  )
  if (found[0]?.found !== true)
    return ['The database has no tables of Bursar yet: run "bursar migrate" first.']
  const { rows } = await client.query<{ applied: string }>(
    `select coalesce(string_agg(checksum, ',' order by version), '') as applied from schema_migrations`,
  )
  if (rows[0]?.applied === (await readSchemaChecksums()).join(',')) return []
  return ['The schema is not that of this release: run "bursar migrate" first.']
}

/** How many schools and rows of theirs each node holds; one line for each shard group. */
export type ShardGroup = { node: string; shards: number; bytes: number; institutes: number }

export async function readShardGroups(client: Client): Promise<ShardGroup[]> {
  const { rows } = await client.query<ShardGroup>(
    `select s.nodename || ':' || s.nodeport as node, count(distinct s.shardid)::int as shards,
       coalesce(sum(s.shard_size), 0)::float8 as bytes,
       (select count(*)::int from institutes i where exists (select from citus_shards o
         where o.table_name = 'students'::regclass and o.nodename = s.nodename and o.nodeport = s.nodeport
           and o.shardid = get_shard_id_for_distribution_column('students', i.id))) as institutes
     from citus_shards s where s.citus_table_type = 'distributed'
     group by s.nodename, s.nodeport order by 1`,
  )
  return rows
}
