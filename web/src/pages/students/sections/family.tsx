import { Link } from '@tanstack/react-router'
import { useInstitute } from '../../../api/session.ts'
import { formatRupees, Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import type { Student } from '../student-page.tsx'
import { StudentTable } from '../student-table.tsx'
import { STATUS_LABELS } from '../texts.ts'

/** Each academic year is a record of its own, with dues of its own. */
export function YearsSection({ student }: { student: Student }) {
  const { code: institute } = useInstitute()
  const { other_years: years } = student
  if (years.length === 0) return null
  return (
    <section aria-labelledby="years">
      <h2 className="section-title" id="years">
        Other academic years
      </h2>
      <StudentTable name="Other academic years">
        <thead>
          <tr>
            <th scope="col">Year</th>
            <th scope="col">Grade</th>
            <th scope="col">Status</th>
            <th scope="col" className="right">
              Due today
            </th>
          </tr>
        </thead>
        <tbody>
          {years.map(one => (
            <tr key={one.service_student_id}>
              <td>
                <Link
                  to="/i/$institute/students/$student"
                  params={{ institute, student: one.service_student_id }}
                >
                  {one.academic_year_start}–{one.academic_year_end}
                </Link>
              </td>
              <td>{one.grade_name}</td>
              <td>
                <StatusBadge tone={STATUS_LABELS[one.status].tone}>
                  {STATUS_LABELS[one.status].label}
                </StatusBadge>
              </td>
              <td className="right">
                <Money rupees={one.total_amount} />
              </td>
            </tr>
          ))}
        </tbody>
      </StudentTable>
    </section>
  )
}

export function FamilySection({ student }: { student: Student }) {
  const { users, siblings, dues } = student
  const all = siblings.reduce((sum, one) => sum + Math.round(one.total_amount * 100), dues.total_amount * 100)
  return (
    <section aria-labelledby="family">
      <h2 className="section-title" id="family">
        Family
      </h2>
      {users.map(user => (
        <p key={user.registration_id} className="breaks">
          <strong>{user.name}</strong> ·{' '}
          <a href={`tel:${user.phone.replaceAll(/[^\d+]/g, '')}`}>{user.phone}</a> ·{' '}
          <a href={`mailto:${user.email}`}>{user.email}</a>
          <span className="faint"> · {user.registration_id} in the ERP</span>
        </p>
      ))}
      {siblings.length === 0 ? (
        <p className="faint">No other student of the same payer.</p>
      ) : (
        <>
          <Siblings siblings={siblings} />
          <p>
            The family owes <strong>{formatRupees(Math.round(all) / 100)}</strong> in all.
          </p>
        </>
      )}
    </section>
  )
}

function Siblings({ siblings }: Pick<Student, 'siblings'>) {
  const { code: institute } = useInstitute()
  return (
    <StudentTable name="Brothers and sisters">
      <thead>
        <tr>
          <th scope="col">Brother or sister</th>
          <th scope="col">Admission no.</th>
          <th scope="col">Grade</th>
          <th scope="col">Status</th>
          <th scope="col" className="right">
            Due today
          </th>
        </tr>
      </thead>
      <tbody>
        {siblings.map(one => (
          <tr key={one.service_student_id}>
            <td>
              <Link
                to="/i/$institute/students/$student"
                params={{ institute, student: one.service_student_id }}
              >
                {one.fullname}
              </Link>
            </td>
            <td>{one.identifier}</td>
            <td>{one.grade_name}</td>
            <td>
              <StatusBadge tone={STATUS_LABELS[one.status].tone}>
                {STATUS_LABELS[one.status].label}
              </StatusBadge>
            </td>
            <td className="right">
              <Money rupees={one.total_amount} />
            </td>
          </tr>
        ))}
      </tbody>
    </StudentTable>
  )
}
