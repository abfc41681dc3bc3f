import type { Queryable } from '../platform/db/database.ts'
import { pickNamed, type Naming, type Picked } from './naming.rules.ts'
import { findNamed } from './naming.store.ts'

/** The student that each of these names; one statement however many, and none when nobody is named. */
export async function findNamedStudents(
  { db }: { db: Queryable },
  instituteId: number,
  namings: readonly Naming[],
): Promise<Picked[]> {
  const ids = namings.flatMap(({ studentId }) => studentId ?? [])
  const identifiers = namings.flatMap(({ settleDues, identifier }) => (settleDues ? (identifier ?? []) : []))
  const isNeeded = ids.length + identifiers.length > 0
  const found = isNeeded ? await findNamed(db, instituteId, { ids, identifiers }) : []
  const byId = new Map(found.map(student => [student.id, student]))
  const byIdentifier = Map.groupBy(found, ({ identifier }) => identifier)
  return namings.map(naming => pickNamed(naming, byId, byIdentifier))
}
