import { defineRows, filter, ofBranch, type ListFilter } from '../http/lists/define-rows.ts'
import { field, ifSent } from '../http/wire/input.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import {
  FILTER_KEYS,
  PROFILE_FIELDS,
  type FilterKey,
  type ProfileName,
  type ProfileValue,
} from './profile/profile.fields.ts'
import { STUDENT_ID, studentFields } from './student.input.ts'
import { toRecord, VIEW_COLUMNS, type RecordRow } from './students.store.ts'

/** Fields of the profile by which students can be looked for. */
const profileFilters = Object.fromEntries(
  FILTER_KEYS.map(key => {
    const { name } = PROFILE_FIELDS[key]
    return [name, filter(ifSent(studentFields[name]), { where: `s.${name} = $1` })]
  }),
) as unknown as {
  [Key in FilterKey as ProfileName<Key>]: ListFilter<ProfileValue<Key> | undefined, Key>
}

/** Students as the API answers them, the newest first: ids sort by creation. */
export const studentRecords = defineRows({
  cursor: STUDENT_ID,
  select: VIEW_COLUMNS,
  from: 'students s',
  filters: {
    identifier: filter(field.identifier('Only with this identifier.', 'ADM-1042'), {
      where: 's.identifier = $1',
    }),
    grade: filter(field.code('Only of this grade.', '5'), {
      where: 'lower(btrim(s.grade)) = lower(btrim($1))',
    }),
    collector_code: ofBranch('s.collector_code'),
    academic_year_start: filter(field.year('Only of this start year.', 2026), {
      where: 's.academic_year_start = $1',
    }),
    academic_year_end: filter(field.year('Only of this end year.', 2027), {
      where: 's.academic_year_end = $1',
    }),
    registration_id: filter(field.registrationId('Only of this user.', 'parent-77'), {
      where:
        's.id in (select student_id from student_users where institute_id = $0 and registration_id = $1)',
    }),
    status: filter(field.oneOf(['active', 'dropped'], 'Only in this state.'), { where: 's.status = $1' }),
    ...profileFilters,
  },
  scope: ({ id }: Institute) => [['s.institute_id = $1', id]],
  order: ['id'],
  direction: 'desc',
  toRow: (row: RecordRow) => toRecord(row),
})
