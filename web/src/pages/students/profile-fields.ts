import type { Student } from './use-student.ts'

/** The profile's fields, by their names on the wire, as the page shows them and the dialogue edits them. */
export const PROFILE_FIELDS = [
  { name: 'fullname', label: 'Full name' },
  { name: 'identifier', label: 'Admission no.' },
  { name: 'grade', label: 'Class' },
  { name: 'custom_identifier', label: 'Second number', isShown: true },
  { name: 'section', label: 'Section', isShown: true },
  { name: 'category', label: 'Category', isShown: true },
  { name: 'house', label: 'House', isShown: true },
  { name: 'date_of_birth', label: 'Date of birth', isDay: true },
  { name: 'primary_contact_name', label: 'Primary contact' },
  { name: 'primary_contact_number', label: 'Phone' },
  { name: 'primary_contact_email', label: 'E-mail' },
] as const satisfies readonly {
  name: keyof Student
  label: string
  /** The page shows the field as it is; the others have a place of their own. */
  isShown?: true
  isDay?: true
}[]
