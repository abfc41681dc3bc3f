import type { RosterField } from '../../../../../src/imports/kinds/roster/roster.rules.ts'

/** What a column of a school's list may be, as an office calls it. */
export const FIELD_LABELS: Record<RosterField, string> = {
  identifier: 'Admission no.',
  fullname: 'Student’s name',
  grade: 'Class',
  section: 'Section',
  primary_contact_number: 'Mobile of the family',
  other_contact_number: 'Other mobile, if the first is missing',
  surname: 'Surname, if apart from the name',
  father_name: 'Father’s name',
  mother_name: 'Mother’s name',
  guardian_name: 'Guardian’s name',
  primary_contact_email: 'E-mail of the family',
  date_of_birth: 'Date of birth',
  custom_identifier: 'Roll or second number',
  category: 'Category (such as Staff)',
  house: 'House',
  new_admission: 'New admission (yes/no)',
  registration_id: 'Id of the family',
  collector_code: 'Branch code',
}

export const REQUIRED: readonly RosterField[] = ['identifier', 'fullname', 'grade', 'primary_contact_number']
