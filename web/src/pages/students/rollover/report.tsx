import { Link } from '@tanstack/react-router'
import type { RolloverAnswer } from '../../../../../src/students/rollover/rollover.schemas.ts'
import { useInstitute } from '../../../api/session.ts'
import { Summary } from '../../../ui/detail.tsx'
import { counted, formatCount, formatRupees, Money } from '../../../ui/money.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { StudentTable } from '../student-table.tsx'

const HEADINGS = [
  'Students',
  'Registered',
  'Known',
  'Leave',
  'Problems',
  'New fees',
  'Dues carried',
  'Advance carried',
]

/** What a rollover did, or would do. */
export function Report({ rollover }: { rollover: RolloverAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'Students', value: formatCount(rollover.students_seen) },
          { label: 'Registered for the new year', value: formatCount(rollover.registered) },
          { label: 'Have a record of the new year', value: formatCount(rollover.known) },
          { label: 'Leave the school', value: formatCount(rollover.leaving) },
          { label: 'Not registered', value: formatCount(rollover.problem_count) },
          { label: 'Fees of the new year', value: formatRupees(rollover.fees) },
          {
            label: 'Concessions by rule',
            value:
              rollover.conceded > 0
                ? `${formatRupees(rollover.concessions)} for ${counted(rollover.conceded, 'student')}, taken off afterwards`
                : undefined,
          },
          { label: 'Dues carried forward', value: formatRupees(rollover.carried_dues) },
          { label: 'Advance carried forward', value: formatRupees(rollover.carried_advance) },
          {
            label: 'Dues or advance not carried yet',
            value: rollover.not_carried > 0 ? counted(rollover.not_carried, 'student') : undefined,
          },
        ]}
      />
      <ByGrade rollover={rollover} />
      <Problems rollover={rollover} />
    </>
  )
}

function ByGrade({ rollover: { grades } }: { rollover: RolloverAnswer }) {
  if (grades.length === 0) return null
  return (
    <>
      <h2 className="section-title">By class</h2>
      <StudentTable name="By grade">
        <thead>
          <tr>
            <th scope="col">Class</th>
            {HEADINGS.map(heading => (
              <th key={heading} scope="col" className="right">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grades.map(one => (
            <tr key={one.grade}>
              <td>
                {one.grade} {one.next_grade === undefined ? '' : `→ ${one.next_grade}`}
              </td>
              {[one.students, one.registered, one.known, one.leaving, one.problem_count].map(
                (count, index) => (
                  <td key={HEADINGS[index]} className="right">
                    {formatCount(count)}
                  </td>
                ),
              )}
              {[one.fees, one.carried_dues, one.carried_advance].map((sum, index) => (
                <td key={HEADINGS[index + 5]} className="right">
                  <Money rupees={sum} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </StudentTable>
    </>
  )
}

function Problems({ rollover }: { rollover: RolloverAnswer }) {
  const { code: institute } = useInstitute()
  const { problems } = rollover
  const count = rollover.problem_count + rollover.not_carried
  if (problems.length === 0) return null
  return (
    <>
      <h2 className="section-title">Students to look at</h2>
      {count > problems.length && (
        <p className="faint">{`The first ${problems.length} of ${formatCount(count)}.`}</p>
      )}
      <ShortTable
        name="Students to look at"
        rows={problems}
        rowId={one => one.service_student_id}
        columns={[
          {
            title: 'Student',
            cell: one => (
              <Link
                to="/i/$institute/students/$student"
                params={{ institute, student: one.service_student_id }}
                search={{}}
              >
                {one.fullname}
              </Link>
            ),
          },
          { title: 'Admission no.', cell: one => one.identifier },
          { title: 'What to do', cell: one => one.message },
        ]}
      />
    </>
  )
}
