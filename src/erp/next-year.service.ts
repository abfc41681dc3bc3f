import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { branchAfter, isOtherYear, type SourceRecord } from '../students/profile/update.rules.ts'
import { registerStudent } from '../students/registration/register.service.ts'
import { mergeProfile, type Student } from '../students/students.rules.ts'
import { getStudent } from '../students/students.service.ts'

/**
 * The record of the academic year that the ERP has gone on to: the one that is known of the same child, or a new one
 * under the same users. Its fees are brought up to date by the caller; last year's record stays as it is.
 */
export async function registerNextYear(
  ctx: Context,
  institute: Institute,
  student: Student,
  record: SourceRecord,
): Promise<string> {
  const { registrationIds, otherYears } = await getStudent(ctx, institute, student.id)
  const ofYear = otherYears.filter(one => !isOtherYear({ ...student, ...one }, record))
  const known = ofYear.find(one => one.grade === record.identity.grade) ?? ofYear[0]
  if (known !== undefined) return known.id
  const { studentId } = await registerStudent(ctx, { instituteId: institute.id }, institute, {
    registrationIds,
    collectorCode: branchAfter(institute, student, record) ?? student.collectorCode,
    identity: { ...record.identity, identifier: student.identifier },
    profile: mergeProfile(student, record.profile),
    fees: [],
    payments: [],
  })
  return studentId
}
