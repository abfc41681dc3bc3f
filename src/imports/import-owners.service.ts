import { defaultBranch } from '../institutes/institutes.rules.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { FeeRow, PaymentRow } from './import-rows.schemas.ts'
import { identityText, type Group, type ImportScene } from './import-scene.ts'
import { ownerProblem, pickOwner, twinProblem, type RowProblem } from './import-units.rules.ts'
import * as bulk from './imports-bulk.store.ts'
import type { Student } from '../students/students.rules.ts'

type Owned<Row> = { student: Student; group: Group<Row> }

/** The students that groups of fees or payments are of; rows of nobody are told so. */
export async function findOwners<Row extends FeeRow | PaymentRow>(
  db: Queryable,
  { institute }: ImportScene,
  groups: readonly Group<Row>[],
  options: { isHeld: boolean },
): Promise<{ owned: Owned<Row>[]; problems: RowProblem[] }> {
  const named = groups.flatMap(group => {
    const sample = group.find(({ row }) => row !== null)?.row
    return sample === undefined || sample === null ? [] : [{ group, sample }]
  })
  const identities = named.map(({ sample }) => sample.identity)
  const found = await bulk.findByIdentities(db, institute.id, identities, options)
  const known = Map.groupBy(found, ({ student }) => identityText(student))
  const owned = new Map<string, Owned<Row>>()
  const problems: RowProblem[] = []
  for (const { group, sample } of named) {
    const { identity, collectorCode } = sample
    const branch = collectorCode ?? defaultBranch(institute)
    const owner = pickOwner(known.get(identityText(identity)) ?? [], collectorCode, branch)
    const twin = owner.kind === 'found' ? owned.get(owner.known.student.id) : undefined
    if (owner.kind === 'found' && twin === undefined) {
      owned.set(owner.known.student.id, { student: owner.known.student, group })
      continue
    }
    const problem = twin === undefined ? ownerProblem(owner, collectorCode) : twinProblem(twin.group)
    const read = group.filter(({ row }) => row !== null)
    problems.push(...read.map(({ rowNo }) => ({ rowNo, ...problem })))
  }
  return { owned: [...owned.values()], problems }
}
