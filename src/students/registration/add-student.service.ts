import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badField, badFields } from '../../platform/errors.ts'
import type { Command } from '../../platform/idempotency.ts'
import { birthProblems, type Identity, type Profile } from '../students.rules.ts'
import { findFamilies } from '../users/users.service.ts'
import { registerStudent, type Registered } from './register.service.ts'

export type OfficeStudent = Identity & Profile & { collectorCode?: string | undefined }

/** Books of older years are closed; further ahead nobody is admitted. */
const MOST_YEARS_AWAY = 5

/** A student that people of the office add: its family is the one of its phone, and its fees are those of its class. */
export async function addStudent(
  ctx: Context,
  command: Command<Registered>,
  institute: Institute,
  student: OfficeStudent,
): Promise<Registered> {
  const { identifier, grade, academicYearStart, academicYearEnd, collectorCode, ...profile } = student
  if (Math.abs(academicYearStart - Number(dayOf(ctx.clock.now()).slice(0, 4))) > MOST_YEARS_AWAY)
    throw badField('academic_year_start', `must be within ${MOST_YEARS_AWAY} years of this one`)
  const born = birthProblems(profile.dateOfBirth, dayOf(ctx.clock.now()), 'date_of_birth')
  if (born.length > 0) throw badFields(born)
  const families = await findFamilies(ctx.db, institute.id, [profile.contactNumber])
  return registerStudent(
    ctx,
    command,
    institute,
    {
      registrationIds: [...families.values()],
      collectorCode,
      identity: { identifier, grade, academicYearStart, academicYearEnd },
      profile,
      origin: 'office',
      fees: [],
      payments: [],
    },
    { isNewOnly: true },
  )
}
