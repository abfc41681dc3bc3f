import { input } from '../../../http/wire/input.ts'
import { registrationParams, SCHOOL_YEAR, studentFields } from '../../../students/student.input.ts'
import type { Profile } from '../../../students/students.rules.ts'
import { defineRows } from '../row-fields.schemas.ts'
import { identityCells, splitIdentity, type RowOfStudent } from '../student-identity.schemas.ts'

export type StudentRow = RowOfStudent & { registrationId: string; profile: Profile }

const { fullname, ...others } = studentFields
const cells = input({ ...registrationParams.fields, fullname, ...identityCells, ...others }, SCHOOL_YEAR)

export const studentRows = defineRows(cells, (read): StudentRow => {
  const { owner, rest } = splitIdentity(read)
  const { registrationId, ...profile } = rest
  return { ...owner, registrationId, profile }
})
