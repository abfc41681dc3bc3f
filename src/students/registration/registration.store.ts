import { isUniqueViolation } from '../../platform/db/errors.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Identity, Student } from '../students.rules.ts'
import { COLUMNS, PROFILE, studentRows } from '../students.store.ts'

/** How a student came to be what it is, for the next registration of it. */
export type Origin = {
  /** Registered without a branch, so the default one was taken. */
  isBranchAssumed: boolean
  /** Digest of the registration that was applied last. */
  digest: Buffer | null
}

export type KnownStudent = Origin & { student: Student }

const registered = studentRows.with<Origin>({
  isBranchAssumed: 'branch_assumed boolean',
  digest: 'registration_digest bytea',
})
const KNOWN_COLUMNS = `${COLUMNS}, ${registered.columns('s', ['isBranchAssumed', 'digest'])}`

/**
 * Finds students in every branch, and in every class if asked for. To be changed, they are locked until the commit,
 * always in the same order.
 */
export async function findByIdentities(
  db: Queryable,
  instituteId: number,
  identities: readonly Identity[],
  { isLocked, isAnyClass = false }: { isLocked: boolean; isAnyClass?: boolean },
): Promise<KnownStudent[]> {
  const rows = await db.query<Student & Origin>(
    `select ${KNOWN_COLUMNS}
     from (select distinct identifier, ${isAnyClass ? '' : 'grade,'} year_start, year_end from unnest($2::text[], $3::text[], $4::int[], $5::int[])
       as one (identifier, grade, year_start, year_end)) asked
     join students s on s.institute_id = $1 and s.identifier = asked.identifier
       ${isAnyClass ? '' : 'and s.grade = asked.grade'}
       and s.academic_year_start = asked.year_start and s.academic_year_end = asked.year_end
     order by s.id ${isLocked ? 'for update of s' : ''}`,
    [
      instituteId,
      identities.map(one => one.identifier),
      identities.map(one => one.grade),
      identities.map(one => one.academicYearStart),
      identities.map(one => one.academicYearEnd),
    ],
  )
  return rows.map(({ isBranchAssumed, digest, ...student }) => ({ student, isBranchAssumed, digest }))
}

/** Fails with `isLostRace` when one of them was registered since it was looked for. */
export async function insertStudents(
  tx: Transaction,
  instituteId: number,
  students: readonly (Student & Origin)[],
): Promise<void> {
  await registered.insert(
    tx,
    students.map(student => ({ ...student, instituteId })),
  )
}

/** Class and profile as they are from now on, and the digest of the registration applied last. */
export async function updateStudents(
  tx: Transaction,
  instituteId: number,
  students: readonly (Student & { digest: Buffer })[],
): Promise<void> {
  await registered.update(
    tx,
    students.map(student => ({ ...student, instituteId })),
    { key: ['instituteId', 'id'], set: ['grade', ...PROFILE, 'origin', 'digest'] },
  )
}

/** Another transaction registered the same student first. Tried again, one sees the winner's row. */
export function isLostRace(error: unknown): boolean {
  return isUniqueViolation(error, 'students_identity')
}
