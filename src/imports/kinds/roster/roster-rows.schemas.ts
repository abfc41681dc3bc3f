import { field, input, optional, type Read } from '../../../http/wire/input.ts'
import type { SentFee } from '../../../fees/fees.rules.ts'
import { feeFields, registrationParams, SCHOOL_YEAR, studentFields } from '../../../students/student.input.ts'
import type { Profile } from '../../../students/students.rules.ts'
import type { RawProblem } from '../../files/columns.rules.ts'
import {
  defineFileRows,
  identityCells,
  type RowDefinition,
  type RowOfStudent,
  splitIdentity,
} from '../row-fields.schemas.ts'
import { feeCodeOf } from '../matched-columns.rules.ts'

export type RosterRow = RowOfStudent & {
  /** Null: the family is known by its phone. */
  registrationId: string | null
  profile: Profile
  fees: SentFee[]
}

const parentName = (who: string) => optional(field.text(`Name of the ${who}.`, 'Asha Rao'))

/** A school's own list: what an office has at hand is enough to begin with. */
const cells = input(
  {
    ...identityCells,
    fullname: studentFields.fullname,
    section: studentFields.section,
    father_name: parentName('father'),
    mother_name: parentName('mother'),
    guardian_name: parentName('guardian'),
    primary_contact_number: studentFields.primary_contact_number,
    other_contact_number: optional(field.text('Used where the first number is missing.', '98450 12345')),
    surname: optional(field.text('Joined to the name.', 'Rao')),
    primary_contact_email: optional(studentFields.primary_contact_email, ''),
    date_of_birth: optional(studentFields.date_of_birth),
    custom_identifier: studentFields.custom_identifier,
    category: studentFields.category,
    house: studentFields.house,
    new_admission: optional(studentFields.new_admission, false),
    registration_id: optional(registrationParams.fields.registration_id),
  },
  SCHOOL_YEAR,
)

const students = defineFileRows(cells, (read): RosterRow => ({ ...toStudent(read), fees: [] }))
const feeCell = input({ fee_amount: feeFields.fee_amount })

export const rosterRows: RowDefinition<RosterRow> = {
  columns: students.columns,
  read(raw) {
    const entries = Object.entries(raw)
    const read = students.read(Object.fromEntries(entries.filter(([name]) => feeCodeOf(name) === null)))
    const problems: RawProblem[] = read.kind === 'bad' ? read.problems : []
    const fees = entries.flatMap(([name, amount]): SentFee[] => {
      const componentType = feeCodeOf(name)
      if (componentType === null) return []
      try {
        return [{ componentType, feePaise: feeCell.read({ fee_amount: amount }).feePaise }]
      } catch {
        problems.push({ column: name, message: 'must be an amount in rupees' })
        return []
      }
    })
    if (read.kind === 'bad' || problems.length > 0) return { kind: 'bad', problems }
    return { kind: 'good', row: { ...read.row, fees } }
  },
}

function toStudent(read: Read<typeof cells>): Omit<RosterRow, 'fees'> {
  const { owner, rest } = splitIdentity(read)
  const {
    registrationId,
    fatherName,
    motherName,
    guardianName,
    otherContactNumber: _,
    surname: _joined,
    ...profile
  } = rest
  const contactName = fatherName ?? motherName ?? guardianName ?? `Parent of ${profile.fullname}`
  return { ...owner, registrationId, profile: { ...profile, contactName } }
}
