import { column, defineList, fileColumn, filter, type FilterValues } from '../../http/lists/define-list.ts'
import { Field, field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { branchFilter, type Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { toPage } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { studentFields } from '../../students/student.output.ts'
import { yearName } from '../../students/students.rules.ts'
import { STATUSES, toWordQuery } from './students.rules.ts'
import {
  countedStudents,
  listStudents,
  studentsQuery,
  toListed,
  type ListedStudent,
  type StudentFilter,
} from './students.store.ts'

const { service_student_id, fullname, identifier, status, collector_code, grade, section, ...profile } =
  studentFields

const typed = field.text(
  'Beginnings of words: name, admission number, phone or e-mail of the student or of a parent who pays for it.',
  'kabir ra',
  100,
)

const filters = {
  q: filter(new Field<string>({ ...typed.schema, minLength: 2 }, typed.options()).as('typed')),
  collector_code: filter(field.code('Only of this branch.', 'MAIN'), {
    label: 'Branch',
    choices: 'branches',
  }),
  academic_year_start: filter(field.year('Only of the academic year that starts in this year.', 2026), {
    label: 'Year',
    choices: 'years',
  }),
  ...classFilters('s'),
  status: filter(field.oneOf(STATUSES, 'Only in this state.'), { label: 'Status' }),
  owing: filter(
    field.oneOf(
      ['yes', 'no'],
      'Only students that owe something, or nothing. A page may then be short, and still say that there are more.',
    ),
    { label: 'Owes fees' },
  ),
}

const out = outputOf<ListedStudent>()

/** Students by name, a record for each of their years, with what is paid and what is left. */
export const studentList = defineList({
  file: 'students',
  title: 'Students',
  noun: ['student', 'students'],
  key: 'id',
  tie: by.name('fullname'),
  columns: {
    service_student_id,
    fullname: column(fullname, { title: 'Student', sort: by.name }),
    identifier: column(identifier, { title: 'Admission no.', sort: by.text }),
    custom_identifier: column(profile.custom_identifier, { title: 'Second identifier' }),
    grade,
    grade_name: column(out.text('Name of the grade.', 'Class 5'), {
      title: 'Class',
      sort: by.grade(`grade || ' ' || coalesce(section, '')`),
    }),
    section: column(section, { title: 'Section' }),
    academic_year_start: column(profile.academic_year_start, {
      title: 'Year',
      kind: 'text',
      cell: (row: ListedStudent) => yearName(row.academicYearStart, row.academicYearEnd),
    }),
    academic_year_end: profile.academic_year_end,
    collector_code: column(collector_code, { title: 'Branch' }),
    status: column(status, { title: 'Status', cell: (row: ListedStudent) => row.status }),
    primary_contact_name: column(profile.primary_contact_name, {
      title: 'Parent',
      sort: by.name('"contactName"'),
      only: 'page',
    }),
    contact: fileColumn('Contact', 'text', (row: ListedStudent) => row.contactName),
    primary_contact_number: column(profile.primary_contact_number, { title: 'Phone' }),
    primary_contact_email: column(profile.primary_contact_email, { title: 'E-mail' }),
    paid_amount: column(
      out.amount(
        'Paid in all, without what was carried to a later year, rupees.',
        20000,
        one => one.paidPaise,
      ),
      { title: 'Paid', sort: by.number('"paidPaise"') },
    ),
    carried_amount: column(
      out.amount(
        'Dues that were carried to a later year and are owed there, rupees.',
        5000,
        one => one.carriedPaise,
      ),
      { title: 'Carried to a later year' },
    ),
    carried_to: out.optional.text('The year that they were carried to.', '2027-28'),
    outstanding_amount: column(
      out.amount('Left to pay, late fees of today included, rupees.', 35000, one => one.owedPaise),
      { title: 'Left to pay', sort: by.number('"owedPaise"') },
    ),
    on_the_way_amount: column(
      out.amount(
        'Of that, what cannot be paid a second time: banks or a lender have yet to answer for it.',
        0,
        one => one.onTheWayPaise,
      ),
      { title: 'On the way' },
    ),
  },
  onPage: [
    'fullname',
    'identifier',
    'grade_name',
    'academic_year_start',
    'collector_code',
    'primary_contact_name',
    'primary_contact_number',
    'paid_amount',
    'outstanding_amount',
    'status',
  ],
  filters,
  rows: {
    async page({ db, clock }, institute, wanted, { cursor, limit }) {
      const fits = filterOf(institute, wanted)
      if (fits === null) return { rows: [], nextCursor: undefined }
      const rows = await listStudents(db, institute.id, dayOf(clock.now()), { ...fits, cursor }, limit + 1)
      return toPage(rows, limit, student => student.id)
    },
    all({ clock }, institute, wanted) {
      const fits = filterOf(institute, wanted)
      return fits === null ? null : studentsQuery(institute.id, dayOf(clock.now()), fits)
    },
    counted(_ctx, institute, wanted) {
      const fits = filterOf(institute, wanted)
      return fits === null ? null : countedStudents(institute.id, fits)
    },
    toRow: toListed,
  },
})

export type StudentRowAnswer = Shown<typeof studentList.output>
export type StudentFilterValues = FilterValues<typeof filters>

/** Null when nothing can fit what was typed. */
function filterOf(
  institute: Institute,
  { typed: words, owing, ...wanted }: StudentFilterValues,
): StudentFilter | null {
  const found = words === undefined ? undefined : toWordQuery(institute.id, words)
  if (found === null) return null
  return {
    ...wanted,
    words: found,
    isOwing: owing === undefined ? undefined : owing === 'yes',
    collectorCode: branchFilter(institute, wanted.collectorCode),
  }
}
