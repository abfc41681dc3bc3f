import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Command } from '../../platform/idempotency.ts'
import type { Identity, Profile } from '../students.rules.ts'
import { findFamilies } from '../users/users.service.ts'
import { registerStudent, type Registered } from './register.service.ts'

export type OfficeStudent = Identity & Profile & { collectorCode?: string | undefined }

/** A student that people of the office add: its family is the one of its phone, and its fees are those of its class. */
export async function addStudent(
  ctx: Context,
  command: Command<Registered>,
  institute: Institute,
  student: OfficeStudent,
): Promise<Registered> {
  const { identifier, grade, academicYearStart, academicYearEnd, collectorCode, ...profile } = student
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
