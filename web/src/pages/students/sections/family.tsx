import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBranchName } from '../../../api/choices.ts'
import { useInstitute } from '../../../api/session.ts'
import { Summary } from '../../../ui/detail.tsx'
import { formatRupees, Money, OnTheWay } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { useTechnical } from '../../../ui/technical.ts'
import { formatDay, yearName } from '../../../ui/when.tsx'
import { callAddress } from '../contact.tsx'
import { PROFILE_FIELDS } from '../profile-fields.ts'
import type { Student } from '../use-student.ts'
import { StudentTable } from '../student-table.tsx'
import { ORIGIN_LABELS, STATUS_LABELS } from '../texts.ts'

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
  const [isTechnical] = useTechnical()
  return (
    <section aria-label="Family">
      <Profile student={student} />
      <AccountNumber student={student} />
      <h2 className="section-title">Who pays</h2>
      {users.map(user => (
        <p key={user.registration_id} className="breaks">
          <strong>{user.name}</strong> · <a href={callAddress(user.phone)}>{user.phone}</a>
          {user.email !== '' && (
            <>
              {' '}
              · <a href={`mailto:${user.email}`}>{user.email}</a>
            </>
          )}
          {isTechnical && !user.registration_id.startsWith('phone-') && (
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
            The family owes <strong>{formatRupees(family.total_amount)}</strong>, late fees included
            {family.overdue_amount > 0 && (
              <>
                ; <strong>{formatRupees(family.overdue_amount)}</strong> of it is overdue
              </>
            )}
            {family.on_the_way_amount > 0 && `; ${formatRupees(family.on_the_way_amount)} is on the way`}.
          </p>
        </>
      )}
    </section>
  )
}

/** Where the family can transfer fees to. */
function AccountNumber({ student: { virtual_account: account } }: { student: Student }) {
  if (account === undefined) return null
  return (
    <>
      <h2 className="section-title">Account number for transfers</h2>
      <Summary
        fields={[
          {
            label: 'Account number',
            value: (
              <>
                <span className="mono">{account.account_number}</span>
                {account.status === 'closed' && <span className="faint"> closed</span>}
              </>
            ),
          },
          { label: 'IFSC', value: <span className="mono">{account.ifsc}</span> },
          { label: 'UPI ID', value: account.upi_id && <span className="mono">{account.upi_id}</span> },
        ]}
      />
    </>
  )
}

/** Who the child is, as the school has it on record. */
function Profile({ student }: { student: Student }) {
  const branchName = useBranchName()
  const [isTechnical] = useTechnical()
  const { primary_contact_email: email, date_of_birth: birth, service_student_id: id } = student
  return (
    <Summary
      fields={[
        { label: 'Admission no.', value: student.identifier },
        ...PROFILE_FIELDS.filter(field => 'isShown' in field).map(({ name, label }) => ({
          label,
          value: student[name],
        })),
        { label: 'Class', value: student.grade_name },
        { label: 'Year', value: yearName(student.academic_year_start, student.academic_year_end) },
        { label: 'Branch', value: branchName(student.collector_code) },
        { label: 'Date of birth', value: birth && formatDay(birth) },
        { label: 'Record kept by', value: ORIGIN_LABELS[student.origin] },
        {
          label: 'Primary contact',
          value: `${student.primary_contact_name}, ${student.primary_contact_number}`,
        },
        {
          label: 'E-mail',
          value: email && (
            <a className="breaks" href={`mailto:${email}`}>
              {email}
            </a>
          ),
        },
        { label: 'Student id', value: isTechnical && <span className="mono">{id}</span> },
      ]}
    />
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
  owedTitle = 'Left to pay for the year',
  students,
  linkText,
  children,
}: RelatedProps<One>) {
  const { code: institute } = useInstitute()
  return (
    <StudentTable name={name}>
      <thead>
        <tr>
          {[...columns, 'Class', 'Status'].map(column => (
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
