import { isUniqueViolation } from '../../platform/db/errors.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Identity, Student } from '../students.rules.ts'
import { COLUMNS, toStudent, type StudentRow } from '../students.store.ts'

/** How a student came to be what it is, for the next registration of it. */
export type Origin = {
  /** Registered without a branch, so the default one was taken. */
  isBranchAssumed: boolean
  /** Of the registration applied last. */
  digest: Buffer | null
}

export type KnownStudent = Origin & { student: Student }

/** Of every branch. Held until the commit, one after the other in the same order, when they are to be changed. */
export async function findByIdentities(
  db: Queryable,
  instituteId: number,
  identities: readonly Identity[],
  { isLocked }: { isLocked: boolean },
): Promise<KnownStudent[]> {
  const rows = await db.query<StudentRow & { branch_assumed: boolean; registration_digest: Buffer | null }>(
    `select ${COLUMNS}, s.branch_assumed, s.registration_digest
     from (select distinct * from unnest($2::text[], $3::text[], $4::int[], $5::int[])
       as one (identifier, grade, year_start, year_end)) asked
     join students s on s.institute_id = $1 and s.identifier = asked.identifier and s.grade = asked.grade
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
  return rows.map(row => ({
    student: toStudent(row),
    isBranchAssumed: row.branch_assumed,
    digest: row.registration_digest,
  }))
}

/** Fails with `isLostRace` when one of them was registered since it was looked for. */
export async function insertStudents(
  tx: Transaction,
  instituteId: number,
  students: readonly (Student & Origin)[],
): Promise<void> {
  if (students.length === 0) return
  await tx.query(
    `insert into students (institute_id, id, collector_code, identifier, grade, academic_year_start, academic_year_end,
       custom_identifier, fullname, new_admission, date_of_birth, primary_contact_name, primary_contact_number,
       primary_contact_email, created_at, updated_at, branch_assumed, registration_digest)
     select $1, s.id, s.branch, s.identifier, s.grade, s.year_start, s.year_end, s.custom_identifier, s.fullname,
       s.new_admission, s.date_of_birth, s.name, s.phone, s.email, $2, $2, s.branch_assumed, s.digest
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[], $10::text[],
       $11::boolean[], $12::date[], $13::text[], $14::text[], $15::text[], $16::boolean[], $17::bytea[])
       as s (id, branch, identifier, grade, year_start, year_end, custom_identifier, fullname, new_admission,
         date_of_birth, name, phone, email, branch_assumed, digest)`,
    [
      instituteId,
      students[0]?.createdAt,
      students.map(one => one.id),
      students.map(one => one.collectorCode),
      students.map(one => one.identifier),
      students.map(one => one.grade),
      students.map(one => one.academicYearStart),
      students.map(one => one.academicYearEnd),
      students.map(one => one.customIdentifier),
      students.map(one => one.fullname),
      students.map(one => one.newAdmission),
      students.map(one => one.dateOfBirth),
      students.map(one => one.contactName),
      students.map(one => one.contactNumber),
      students.map(one => one.contactEmail),
      students.map(one => one.isBranchAssumed),
      students.map(one => one.digest),
    ],
  )
}

/** The profile as it is from now on, and the digest of the registration applied last. */
export async function updateStudents(
  tx: Transaction,
  instituteId: number,
  students: readonly (Student & { digest: Buffer })[],
): Promise<void> {
  if (students.length === 0) return
  await tx.query(
    `update students s set custom_identifier = n.custom_identifier, fullname = n.fullname,
       new_admission = n.new_admission, date_of_birth = n.date_of_birth, primary_contact_name = n.name,
       primary_contact_number = n.phone, primary_contact_email = n.email, updated_at = n.updated_at,
       registration_digest = n.digest
     from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::date[], $7::text[], $8::text[], $9::text[],
       $10::timestamptz[], $11::bytea[])
       as n (id, custom_identifier, fullname, new_admission, date_of_birth, name, phone, email, updated_at, digest)
     where s.institute_id = $1 and s.id = n.id`,
    [
      instituteId,
      students.map(one => one.id),
      students.map(one => one.customIdentifier),
      students.map(one => one.fullname),
      students.map(one => one.newAdmission),
      students.map(one => one.dateOfBirth),
      students.map(one => one.contactName),
      students.map(one => one.contactNumber),
      students.map(one => one.contactEmail),
      students.map(one => one.updatedAt),
      students.map(one => one.digest),
    ],
  )
}

/** Another transaction registered the same student first. Tried again, one sees the winner's row. */
export function isLostRace(error: unknown): boolean {
  return isUniqueViolation(error, 'students_identity')
}
