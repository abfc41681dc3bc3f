import type { Client } from 'pg'

/** What of the server and of who is connected stands in the way; all of it, so that one look is enough. */
const NEEDED_MAJOR = 14
const LONG_MINUTES = 5

export type Node = { name: string; isCoordinator: boolean; holdsShards: boolean; isActive: boolean }

export type Server = { version: string | null; nodes: Node[]; obstacles: string[] }

export async function examineServer(client: Client): Promise<Server> {
  const version = await readCitusVersion(client)
  if (version === null)
    return {
      version,
      nodes: [],
      obstacles: [
        `This database has no Citus. Load it in shared_preload_libraries and run "create extension citus".`,
      ],
    }
  const nodes = await readNodes(client)
  return { version, nodes, obstacles: [...versionObstacles(version), ...nodeObstacles(nodes)] }
}

async function readCitusVersion(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ version: string }>(
    `select extversion as version from pg_extension where extname = 'citus'`,
  )
  return rows[0]?.version ?? null
}

async function readNodes(client: Client): Promise<Node[]> {
  const { rows } = await client.query<Node>(
    `select nodename || ':' || nodeport as name, groupid = 0 as "isCoordinator", shouldhaveshards as "holdsShards",
       isactive as "isActive" from pg_dist_node where noderole = 'primary' order by groupid`,
  )
  return rows
}

function versionObstacles(version: string): string[] {
  if (Number.parseInt(version, 10) >= NEEDED_MAJOR) return []
  return [`Citus ${version} is older than ${NEEDED_MAJOR}, the oldest that Bursar is tested with.`]
}

function nodeObstacles(nodes: readonly Node[]): string[] {
  const coordinator = nodes.some(({ isCoordinator }) => isCoordinator)
    ? []
    : ['The coordinator does not know its own address: run "select citus_set_coordinator_host(…)".']
  const shards = nodes.some(({ holdsShards }) => holdsShards)
    ? []
    : ['No node takes shards: add one with "select citus_add_node(…)".']
  const inactive = nodes
    .filter(({ isActive }) => !isActive)
    .map(({ name }) => `The node ${name} is not active.`)
  return [...coordinator, ...shards, ...inactive]
}

/** A process that writes meanwhile would be locked out or find tables without their foreign keys. */
export async function findConnected(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; times: number }>(
    `select coalesce(nullif(application_name, ''), 'a program without a name') as name, count(*)::int as times
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'
       and application_name not ilike 'citus%' group by 1 order by 1`,
  )
  const connected = rows.map(
    ({ name, times }) => `${name} is connected (${times}). Stop every Bursar and close other programs.`,
  )
  const { rows: long } = await client.query<{ pid: number; minutes: number }>(
    `select pid, floor(extract(epoch from now() - xact_start) / 60)::int as minutes from pg_stat_activity
     where xact_start < now() - make_interval(mins => $1) and pid <> pg_backend_pid()
       and backend_type = 'client backend' order by pid`,
    [LONG_MINUTES],
  )
  const { rows: prepared } = await client.query<{ gid: string }>(
    `select gid from pg_prepared_xacts where database = current_database() order by gid`,
  )
  return [
    ...connected,
    ...long.map(({ pid, minutes }) => `The process ${pid} has been in a transaction for ${minutes} minutes.`),
    ...prepared.map(({ gid }) => `The prepared transaction ${gid} is neither committed nor rolled back.`),
  ]
}
