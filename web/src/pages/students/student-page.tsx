import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBranchName, useChoices } from '../../api/choices.ts'
import { useInstitute } from '../../api/session.ts'
import { useRemembered } from '../../shell/search/recent.ts'
import { Detail, type DetailField } from '../../ui/detail.tsx'
import { Crumbs, type Crumb } from '../../ui/link/crumbs.tsx'
import { formatRupees, sumRupees } from '../../ui/money.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay, yearName } from '../../ui/when.tsx'
import { className } from '../../ui/words.ts'
import { Contact } from './contact.tsx'
import { DuesSection } from './sections/dues.tsx'
import { LeavingSection } from './sections/leaving.tsx'
import { FamilySection, YearsSection } from './sections/family.tsx'
import { LastPayment, PaymentsSection } from './sections/payments.tsx'
import { NextDebit, PlanSection } from './sections/plan.tsx'
import { MessagesSection } from './sections/reminders.tsx'
import { OptionalFeesSection } from './optional/student-section.tsx'
import { StudentActs } from './actions/student-actions.tsx'
import { StorySection } from './sections/timeline.tsx'
import { YearLine } from './sections/year-line.tsx'
import { useStudent, type Student } from './use-student.ts'
import { STATUS_LABELS } from './texts.ts'
import './students.css'

const TRAIL: readonly Crumb[] = [{ label: 'Students', to: '/i/$institute/students' }]

/** A student: what it owes and whom to speak to, and below it everything else by its tab. */
export function StudentPage() {
  const { student: id = '' } = useParams({ strict: false })
  const student = useStudent(id)
  if (!student.isSuccess) return <AwaitedPage kind="Student" query={student} />
  // Another student is another page: no dialogue or opened row is taken along.
  return <Page key={id} student={student.data} />
}

type Tab = { key: string; label: string; show: (student: Student) => ReactNode }

const TABS: readonly [Tab, ...Tab[]] = [
  {
    key: 'dues',
    label: 'Dues',
    show: student => (
      <>
        <YearLine student={student} />
        <DuesSection student={student} />
        <OptionalFeesSection student={student} />
        <YearsSection student={student} />
      </>
    ),
  },
  {
    key: 'payments',
    label: 'Payments',
    show: ({ service_student_id: id }) => <PaymentsSection id={id} />,
  },
  { key: 'plan', label: 'Instalments', show: ({ service_student_id: id }) => <PlanSection id={id} /> },
  { key: 'family', label: 'Family', show: student => <FamilySection student={student} /> },
  { key: 'messages', label: 'Messages', show: ({ service_student_id: id }) => <MessagesSection id={id} /> },
  { key: 'story', label: 'Story', show: ({ service_student_id: id }) => <StorySection id={id} /> },
]

const LINKS = TABS.map(({ key, label }) => ({
  here: key,
  label,
  to: '/i/$institute/students/$student' as const,
  ...(key === TABS[0].key ? {} : { search: { tab: key } }),
}))

function Page({ student }: { student: Student }) {
  const { service_student_id: id, status } = student
  const { tab }: Record<string, string | undefined> = useSearch({ strict: false })
  const here = TABS.find(({ key }) => key === tab) ?? TABS[0]
  const { label, tone } = STATUS_LABELS[status]
  useRemembered({
    id,
    name: student.fullname,
    note: `${student.identifier} · ${className(student.grade_name)}, ${yearName(student.academic_year_start, student.academic_year_end)}`,
  })
  return (
    <Detail
      title={student.fullname}
      back={<Crumbs trail={TRAIL} />}
      status={<StatusBadge tone={tone}>{label}</StatusBadge>}
      note={useNote(student)}
      actions={<StudentActs student={student} />}
      figures={figuresOf(student)}
    >
      <LeavingSection student={student} />
      <PageTabs label={`About ${student.fullname}`} tabs={LINKS} here={here.key} isInPlace />
      {here.show(student)}
    </Detail>
  )
}

/** ADM-1042 · Class 5 A · 2026-27 */
function useNote(student: Student): string {
  const branchName = useBranchName()
  const { branches } = useChoices()
  return [
    student.identifier,
    [className(student.grade_name), student.section].filter(Boolean).join(' '),
    yearName(student.academic_year_start, student.academic_year_end),
    ...(branches.length > 1 ? [branchName(student.collector_code)] : []),
  ].join(' · ')
}

/** What people open the page for. */
function figuresOf(student: Student): DetailField[] {
  const { dues, service_student_id: id } = student
  const { next_due_date: day } = dues
  const elsewhere = student.other_years.filter(year => year.total_amount > 0)
  return [
    { label: 'Left to pay for the year', value: <strong>{formatRupees(dues.total_amount)}</strong> },
    {
      label: 'Overdue',
      value: dues.overdue_amount > 0 && <strong>{formatRupees(dues.overdue_amount)}</strong>,
    },
    {
      label: 'Due next',
      value: day && <Figure amount={dues.next_due_amount ?? 0} note={`by ${formatDay(day)}`} />,
    },
    {
      label: 'By instalments',
      value: dues.instalments_amount > 0 && (
        <>
          {formatRupees(dues.instalments_amount)}
          <NextDebit id={id} />
        </>
      ),
    },
    {
      label: 'On its way',
      value: dues.on_the_way_amount > 0 && (
        <Figure amount={dues.on_the_way_amount} note="the bank has not answered yet" />
      ),
    },
    {
      label: 'Left to pay of other years',
      value: elsewhere.length > 0 && (
        <Figure
          amount={sumRupees(elsewhere.map(year => year.total_amount))}
          note={<OtherYears years={elsewhere} />}
        />
      ),
    },
    { label: 'Last payment', value: <LastPayment id={id} /> },
    { label: 'Primary contact', value: <Contact student={student} /> },
  ]
}

function Figure({ amount, note }: { amount: number; note: ReactNode }) {
  return (
    <>
      {formatRupees(amount)}
      <div className="faint">{note}</div>
    </>
  )
}

function OtherYears({ years }: { years: Student['other_years'] }) {
  const { code: institute } = useInstitute()
  return years.map(year => (
    <Link
      key={year.service_student_id}
      to="/i/$institute/students/$student"
      params={{ institute, student: year.service_student_id }}
      className="nowrap"
    >
      {yearName(year.academic_year_start, year.academic_year_end)}{' '}
    </Link>
  ))
}
