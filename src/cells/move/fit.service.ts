import * as catalogue from './catalogue.store.ts'
import type { School, Standing } from './catalogue.store.ts'
import { MoveStopped, type Sides } from './sides.ts'

type Names = { source: string; target: string }

const CLOCKS_APART_MS = 60_000

/** Refuses a move before anything is touched; says all that stands in its way. */
export async function refuseUnfit(sides: Sides, school: School, names: Names): Promise<void> {
  const [from, to] = [await catalogue.readStanding(sides.source), await catalogue.readStanding(sides.target)]
  const problems = [...findUnfit(from, to, names), ...(await findTaken(sides, school, names))]
  if (problems.length > 0) throw new MoveStopped(problems.join('\n'))
}

/** What may have changed while the rows were copied, and would keep a school that has left from arriving. */
export async function refuseTaken(sides: Sides, school: School, names: Names): Promise<void> {
  const [from, to] = [await catalogue.readStanding(sides.source), await catalogue.readStanding(sides.target)]
  const problems = [...findUnlike(from, to, names), ...(await findTaken(sides, school, names))]
  if (problems.length > 0) throw new MoveStopped(problems.join('\n'))
}

async function findTaken(sides: Sides, school: School, names: Names): Promise<string[]> {
  const problems: string[] = []
  if (await catalogue.hasSchool(sides.target, school))
    problems.push(`${names.target} has a school with the code ${school.code} or the id ${school.id} already.`)
  const lenders = await catalogue.listLenders(sides.source, school.id)
  const missing = await catalogue.findMissingLenders(sides.target, lenders)
  if (missing.length > 0) problems.push(`${names.target} lacks the lenders ${missing.join(', ')}.`)
  return problems
}

function findUnlike(from: Standing, to: Standing, { source, target }: Names): string[] {
  return from.migrations === to.migrations
    ? []
    : [`${source} and ${target} have different schemas: bring both to one release.`]
}

function findUnfit(from: Standing, to: Standing, { source, target }: Names): string[] {
  const apartMs = Math.abs(from.settings.clockOffsetMs - to.settings.clockOffsetMs)
  const grant = 'grant set on parameter session_replication_role'
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
      : `The PostgreSQL of ${source} has wal_level = ${from.walLevel}; a move needs logical.`,
    from.freeSlots > 0
      ? ''
      : `The PostgreSQL of ${source} has no replication slot left (max_replication_slots).`,
    from.mayReplicate ? '' : `The role at ${source} may not replicate: alter role … replication.`,
    to.maySubscribe ? '' : `The role at ${target} may not subscribe: grant pg_create_subscription.`,
    from.mayActAsReplica ? '' : `The role at ${source} needs: ${grant}.`,
    to.mayActAsReplica ? '' : `The role at ${target} needs: ${grant}.`,
  ].filter(problem => problem !== '')
}
