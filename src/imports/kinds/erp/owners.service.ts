import { defaultBranch, type Institute } from '../../../institutes/institutes.rules.ts'
import type { Queryable } from '../../../platform/db/database.ts'
import { findStudents, identityKey } from '../../../students/registration/register-students.service.ts'
import type { Student } from '../../../students/students.rules.ts'
import {
  isRead,
  problemsOf,
  ownerProblem,
  pickOwner,
  sameStudentProblem,
  type RowGroup,
  type RowProblem,
} from '../merge.rules.ts'
import type { RowOfStudent } from '../student-identity.schemas.ts'
import { addAll } from '../../../platform/lists.ts'

type Owned<Row> = { student: Student; group: RowGroup<Row> }

/** The students that groups of fees or payments are of; rows of nobody are told so. */
export async function findOwners<Row extends RowOfStudent>(
  db: Queryable,
  institute: Institute,
  groups: readonly RowGroup<Row>[],
  options: { isLocked: boolean },
): Promise<{ owned: Owned<Row>[]; problems: RowProblem[] }> {
  const named = groups.flatMap(group => {
    const sample = group.find(isRead)?.row
    return sample === undefined ? [] : [{ group, sample }]
  })
  const identities = named.map(({ sample }) => sample.identity)
  const known = await findStudents(db, institute, identities, options)
  const owned = new Map<string, Owned<Row>>()
  const problems: RowProblem[] = []
  for (const { group, sample } of named) {
    const { identity, collectorCode } = sample
    const branch = collectorCode ?? defaultBranch(institute)
    const owner = pickOwner(known.get(identityKey(identity)) ?? [], collectorCode, branch)
    const other = owner.kind === 'found' ? owned.get(owner.known.student.id) : undefined
    if (owner.kind === 'found' && other === undefined) {
      owned.set(owner.known.student.id, { student: owner.known.student, group })
      continue
    }
    const problem = other === undefined ? ownerProblem(owner, collectorCode) : sameStudentProblem(other.group)
    addAll(problems, problemsOf(group.filter(isRead), problem))
  }
  return { owned: [...owned.values()], problems }
}
