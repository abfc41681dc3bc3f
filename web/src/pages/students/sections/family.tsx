import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useInstitute } from '../../../api/session.ts'
import { formatRupees, Money, OnTheWay } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { yearName } from '../../../ui/when.tsx'
import type { Student } from '../use-student.ts'
import { StudentTable } from '../student-table.tsx'
import { STATUS_LABELS } from '../texts.ts'

/** Each academic year is a record of its own, with dues of its own. */
export function YearsSection({ student }: { student: Student }) {
  const { other_years: years } = student
  if (years.length === 0) return null
  return (
    <section aria-labelledby="years">
      <h2 className="section-title" id="years">
        Other academic years
      </h2>
      <RelatedStudents
        name="Other academic years"
        columns={['Year']}
        students={years}
        linkText={one => yearName(one.academic_year_start, one.academic_year_end)}
      />
    </section>
  )
}

export function FamilySection({ student }: { student: Student }) {
  const { users, family } = student
  return (
    <section aria-labelledby="family">
      <h2 className="section-title" id="family">
        Family
      </h2>
      {users.map(user => (
        <p key={user.registration_id} className="breaks">
          <strong>{user.name}</strong> ·{' '}
          <a href={`tel:${user.phone.replaceAll(/[^\d+]/g, '')}`}>{user.phone}</a>
          {user.email !== '' && (
            <>
              {' '}
              · <a href={`mailto:${user.email}`}>{user.email}</a>
            </>
          )}
          {!user.registration_id.startsWith('phone-') && (
            <span className="faint"> · {user.registration_id} in the ERP</span>
          )}
        </p>
      ))}
      {family.children.length < 2 ? (
        <p className="faint">No other student of the same payer.</p>
      ) : (
        <>
          <RelatedStudents
            name="Children of this family"
            columns={['Child', 'Admission no.']}
            owedTitle="Owed in all years"
            students={family.children}
            linkText={one => one.fullname}
          >
            {one => <td>{one.identifier}</td>}
          </RelatedStudents>
          <p>
            The family owes <strong>{formatRupees(family.total_amount)}</strong> in all.
          </p>
        </>
      )}
    </section>
  )
}

type Related = Student['family']['children'][number] | Student['other_years'][number]

type RelatedProps<One extends Related> = {
  name: string
  /** Before grade, status and what is due. */
  columns: readonly string[]
  owedTitle?: string
  students: readonly One[]
  linkText: (one: One) => string
  /** The cell of the second column. */
  children?: (one: One) => ReactNode
}

function RelatedStudents<One extends Related>({
  name,
  columns,
  owedTitle = 'Owed for the year',
  students,
  linkText,
  children,
}: RelatedProps<One>) {
  const { code: institute } = useInstitute()
  return (
    <StudentTable name={name}>
      <thead>
        <tr>
          {[...columns, 'Grade', 'Status'].map(column => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          <th scope="col" className="right">
            Overdue
          </th>
          <th scope="col" className="right">
            {owedTitle}
          </th>
        </tr>
      </thead>
      <tbody>
        {students.map(one => (
          <tr key={one.service_student_id}>
            <td>
              <Link
                to="/i/$institute/students/$student"
                params={{ institute, student: one.service_student_id }}
              >
                {linkText(one)}
              </Link>
            </td>
            {children?.(one)}
            <td>{one.grade_name}</td>
            <td>
              <StatusBadge tone={STATUS_LABELS[one.status].tone}>
                {STATUS_LABELS[one.status].label}
              </StatusBadge>
            </td>
            <td className="right">
              <Money rupees={one.overdue_amount} />
            </td>
            <td className="right">
              <Money rupees={one.total_amount} />
              <OnTheWay rupees={one.on_the_way_amount} />
            </td>
          </tr>
        ))}
      </tbody>
    </StudentTable>
  )
}
