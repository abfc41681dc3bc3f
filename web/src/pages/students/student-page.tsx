import { Alert } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useBranchName } from '../../api/choices.ts'
import { useRemembered } from '../../shell/search/recent.ts'
import { Detail } from '../../ui/detail.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay, yearName } from '../../ui/when.tsx'
import { DuesSection } from './sections/dues.tsx'
import { LeavingSection } from './sections/leaving.tsx'
import { FamilySection, YearsSection } from './sections/family.tsx'
import { PaymentsSection } from './sections/payments.tsx'
import { PlanSection } from './sections/plan.tsx'
import { RemindersSection } from './sections/reminders.tsx'
import { OptionalFeesSection } from './optional/student-section.tsx'
import { StudentActs } from './actions/student-actions.tsx'
import { TimelineSection } from './sections/timeline.tsx'
import { PROFILE_FIELDS } from './profile-fields.ts'
import { useStudent, type Student } from './use-student.ts'
import { ORIGIN_LABELS, STATUS_LABELS } from './texts.ts'
import './students.css'

/** Everything about a student: dues, family, payments, instalments and a timeline. */
export function StudentPage() {
  const { student: id = '' } = useParams({ strict: false })
  const student = useStudent(id)
  if (!student.isSuccess) return <AwaitedPage kind="Student" query={student} />
  // Another student is another page: no dialogue or opened row is taken along.
  return <Page key={id} student={student.data} />
}

function Page({ student }: { student: Student }) {
  const branchName = useBranchName()
  const { service_student_id: id, dues, status } = student
  const { label, tone } = STATUS_LABELS[status]
  useRemembered({ id, name: student.fullname, note: `${student.identifier} · Grade ${student.grade_name}` })
  return (
    <Detail
      title={student.fullname}
      status={<StatusBadge tone={tone}>{label}</StatusBadge>}
      actions={<StudentActs student={student} />}
      figures={[
        { label: 'Owed for the year', value: <strong>{formatRupees(dues.total_amount)}</strong> },
        {
          label: 'Overdue',
          value: dues.overdue_amount > 0 && <strong>{formatRupees(dues.overdue_amount)}</strong>,
        },
        {
          label: 'Due next',
          value:
            dues.next_due_date &&
            `${formatRupees(dues.next_due_amount ?? 0)} by ${formatDay(dues.next_due_date)}`,
        },
        {
          label: 'By instalments',
          value: dues.instalments_amount > 0 && formatRupees(dues.instalments_amount),
        },
      ]}
      fields={[
        { label: 'Admission no.', value: student.identifier },
        ...PROFILE_FIELDS.filter(field => 'isShown' in field).map(({ name, label }) => ({
          label,
          value: student[name],
        })),
        { label: 'Grade', value: student.grade_name },
        { label: 'Year', value: yearName(student.academic_year_start, student.academic_year_end) },
        { label: 'Branch', value: branchName(student.collector_code) },
        { label: 'Record kept by', value: ORIGIN_LABELS[student.origin] },
        { label: 'Date of birth', value: student.date_of_birth && formatDay(student.date_of_birth) },
        { label: 'Primary contact', value: <Contact student={student} /> },
        { label: 'Student id', value: <span className="mono">{id}</span> },
      ]}
    >
      {dues.on_the_way_amount > 0 && (
        <Alert color="yellow" mt="md" role="status">
          {formatRupees(dues.on_the_way_amount)} is on its way: the bank has been asked and has not answered
          yet.
        </Alert>
      )}
      <LeavingSection student={student} />
      <DuesSection student={student} />
      <OptionalFeesSection student={student} />
      <YearsSection student={student} />
      <FamilySection student={student} />
      <PaymentsSection id={id} />
      <PlanSection id={id} />
      <RemindersSection id={id} />
      <TimelineSection id={id} />
    </Detail>
  )
}

function Contact({ student }: { student: Student }) {
  const { primary_contact_number: phone, primary_contact_email: email } = student
  return (
    <>
      {student.primary_contact_name}
      <div>
        <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>
      </div>
      {email !== '' && (
        <a className="breaks" href={`mailto:${email}`}>
          {email}
        </a>
      )}
    </>
  )
}
