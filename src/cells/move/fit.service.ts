import type { Queryable } from '../../platform/db/database.ts'
import * as catalogue from './carry.store.ts'
import { type School, type DatabaseStanding } from './carry.store.ts'
import { tryToSubscribe } from './replication.store.ts'
import { MoveStopped, type MoveDatabases } from './connection.ts'

type Names = { source: string; target: string }

const CLOCKS_APART_MS = 60_000

/**
 * Refuses a move before anything is touched; says all that stands in its way. `address` is how the new cell's server
 * reaches the old database; it is asked to do so once the settings of both are right.
 */
export async function refuseUnfit(
  sides: MoveDatabases,
  school: School,
  names: Names,
  address: string,
): Promise<void> {
  const [from, to] = [await catalogue.readStanding(sides.source), await catalogue.readStanding(sides.target)]
  const found = [...findUnfit(from, to, names), ...(await findTaken(sides, school, names))]
  const problems = found.length > 0 ? found : await findUnreachable(sides, names, address)
  if (problems.length > 0) throw new MoveStopped(problems.join('\n'))
}

async function findUnreachable(
  sides: MoveDatabases,
  { source, target }: Names,
  address: string,
): Promise<string[]> {
  const reason = await tryToSubscribe(sides.target, address)
  if (reason === null) return []
  return [
    `The PostgreSQL of ${target} cannot replicate from ${source}: ${reason}. Its address needs a password, a server that asks for it, and a role that may replicate; name another by --replicate-from-env.`,
  ]
}

/** What may have changed while the rows were copied, and would keep a school that has left from arriving. */
export async function refuseTaken(sides: MoveDatabases, school: School, names: Names): Promise<void> {
  const [from, to] = [await catalogue.readStanding(sides.source), await catalogue.readStanding(sides.target)]
  const problems = [...findUnlike(from, to, names), ...(await findTaken(sides, school, names))]
  if (problems.length > 0) throw new MoveStopped(problems.join('\n'))
}

async function findTaken(sides: MoveDatabases, school: School, names: Names): Promise<string[]> {
  const problems: string[] = []
  if (await catalogue.hasSchool(sides.target, school))
    problems.push(`${names.target} has a school with the code ${school.code} or the id ${school.id} already.`)
  const lenders = await catalogue.listLenders(sides.source, school.id)
  const missing = await catalogue.findMissingLenders(sides.target, lenders)
  if (missing.length > 0) problems.push(`${names.target} lacks the lenders ${missing.join(', ')}.`)
  return problems
}

function findUnlike(from: DatabaseStanding, to: DatabaseStanding, { source, target }: Names): string[] {
  return from.migrations === to.migrations
    ? []
    : [`${source} and ${target} have different schemas: bring both to one release.`]
}

/** One follows, and each table that is being copied needs one more. */
const neededFor = ({ copiesAtOnce }: DatabaseStanding): number => 1 + copiesAtOnce

function findUnfit(from: DatabaseStanding, to: DatabaseStanding, { source, target }: Names): string[] {
  const apartMs = Math.abs(from.settings.clockOffsetMs - to.settings.clockOffsetMs)
  const needed = neededFor(to)
  const few = (cell: string, free: number, what: string, setting: string): string =>
    free >= needed
      ? ''
      : `The PostgreSQL of ${cell} has ${Math.max(free, 0)} ${what} left, and a move needs ${needed}: raise ${setting} there, or lower max_sync_workers_per_subscription at ${target}.`
  return [
    ...findUnlike(from, to, { source, target }),
    from.settings.mode === to.settings.mode
      ? ''
      : `One of ${source} and ${target} is a sandbox, the other is live.`,
    from.settings.masterKey === to.settings.masterKey
      ? ''
      : `${source} and ${target} have different master keys.`,
    apartMs <= CLOCKS_APART_MS ? '' : `The sandbox clocks of ${source} and ${target} differ.`,
    from.walLevel === 'logical'
      ? ''
      : `The PostgreSQL of ${source} has wal_level = ${from.walLevel}: set wal_level = logical and restart it.`,
    from.waitsForAny
      ? `The PostgreSQL of ${source} has synchronous_standby_names = *, and would take that of ${target} for its standby while the school moves: name the standbys there.`
      : '',
    few(source, from.freeSlots, 'replication slots', 'max_replication_slots'),
    few(source, from.freeSenders, 'connections for replication', 'max_wal_senders'),
    few(target, to.freeAppliers, 'workers of replication', 'max_logical_replication_workers'),
    few(target, to.freeWorkers, 'workers', 'max_worker_processes'),
    few(
      target,
      to.freeOrigins,
      'replication origins',
      'max_active_replication_origins (before PostgreSQL 18: max_replication_slots)',
    ),
    to.copiesAtOnce > 0
      ? ''
      : `The PostgreSQL of ${target} copies no tables: set max_sync_workers_per_subscription to 2 or more.`,
    mayPublish(source, from),
    maySubscribe(target, to),
    ...findUnowned(source, from),
    ...findUnowned(target, to),
  ].filter(problem => problem !== '')
}

const mayPublish = (cell: string, { mayReplicate, role }: DatabaseStanding): string =>
  mayReplicate ? '' : `At ${cell}: alter role ${role} replication.`

const maySubscribe = (cell: string, { maySubscribe: may, role }: DatabaseStanding): string =>
  may ? '' : `At ${cell}: grant pg_create_subscription to ${role}.`

const findUnowned = (cell: string, at: DatabaseStanding): string[] => [
  at.mayActAsReplica ? '' : `At ${cell}: grant set on parameter session_replication_role to ${at.role}.`,
  at.mayCreate ? '' : `At ${cell}: grant create on database ${at.database} to ${at.role}.`,
  at.ownsTables
    ? ''
    : `At ${cell}: some tables are not owned by ${at.role}; run Bursar and moves as one role.`,
]

/** What the role of a cell lacks for schools to move from it and to it, each with what to type. */
export async function findMissingGrants(cell: string, db: Queryable): Promise<string[]> {
  const standing = await catalogue.readStanding(db)
  return [mayPublish(cell, standing), maySubscribe(cell, standing), ...findUnowned(cell, standing)].filter(
    problem => problem !== '',
  )
}
