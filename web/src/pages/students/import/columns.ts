import type { RosterField } from '../../../../../src/imports/kinds/roster/roster.rules.ts'
import { readable } from '../texts.ts'

/** What a column of a school's list may be, as an office calls it. */
export const FIELD_LABELS: Record<RosterField, string> = {
  identifier: 'Admission no.',
  fullname: 'Student’s name',
  grade: 'Class',
  section: 'Section',
  primary_contact_number: 'Mobile of the family',
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

const FEE = 'fee:'

export function columnLabel(column: string): string {
  if (column.startsWith(FEE)) return readable(column.slice(FEE.length))
  return FIELD_LABELS[column as RosterField] ?? column
}

/** The choices for one column: the fields, the school's fees, and the fee that its heading names. */
export function columnOptions(guess: string | undefined, fees: readonly { code: string; name: string }[]) {
  const codes = new Set([
    ...fees.map(({ code }) => code),
    ...(guess?.startsWith(FEE) ? [guess.slice(4)] : []),
  ])
  return [
    { value: '', label: 'Leave out' },
    { group: 'Student', items: Object.entries(FIELD_LABELS).map(([value, label]) => ({ value, label })) },
    {
      group: 'Fee, rupees for the year',
      items: [...codes].map(code => ({
        value: FEE + code,
        label: fees.find(fee => fee.code === code && fee.name !== code)?.name ?? readable(code),
      })),
    },
  ].filter(option => !('items' in option) || option.items.length > 0)
}
