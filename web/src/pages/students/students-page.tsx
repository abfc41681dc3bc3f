import { Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { StudentRowAnswer } from '../../../../src/console/students/students.output.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { formatRupees, OnTheWay } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useFilters, type Filter } from '../../ui/table/use-filters.ts'
import { yearName } from '../../ui/when.tsx'
import { RemindButtons, RemindPicked } from '../reminders/remind-buttons.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { LinksForPicked } from './actions/links-for-picked.tsx'
import { LinkButton } from '../../ui/link/link-button.tsx'
import { useChoices, type Choices } from '../../api/choices.ts'
import { STATUS_LABELS } from './texts.ts'

type Row = StudentRowAnswer

const BRANCH: Column<Row> = { key: 'branch', title: 'Branch', text: row => row.collector_code }

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'name',
    title: 'Student',
    sort: 'name',
    text: row => row.fullname,
    render: row => <strong className="long-text">{row.fullname}</strong>,
  },
  { key: 'identifier', title: 'Admission no.', sort: 'admission', text: row => row.identifier },
  {
    key: 'grade',
    title: 'Grade',
    sort: 'grade',
    text: row => (row.section === undefined ? row.grade_name : `${row.grade_name} ${row.section}`),
  },
  {
    key: 'year',
    title: 'Year',
    text: row => yearName(row.academic_year_start, row.academic_year_end),
    render: row => <span className="nowrap">{yearName(row.academic_year_start, row.academic_year_end)}</span>,
  },
  { key: 'parent', title: 'Parent', sort: 'parent', text: row => row.primary_contact_name },
  { key: 'phone', title: 'Phone', text: row => row.primary_contact_number },
  {
    key: 'paid',
    title: 'Paid',
    sort: 'paid',
    isLargestFirst: true,
    text: row => formatRupees(row.paid_amount),
    render: row => (
      <>
        {formatRupees(row.paid_amount)}
        {row.carried_amount > 0 && (
          <div className="faint">
            <div className="nowrap">{`Carried to ${row.carried_to ?? 'a later year'}`}</div>
            {formatRupees(row.carried_amount)}
          </div>
        )}
      </>
    ),
    align: 'right',
  },
  {
    key: 'outstanding',
    title: 'Outstanding',
    sort: 'outstanding',
    isLargestFirst: true,
    text: row => formatRupees(row.outstanding_amount),
    render: row => (
      <>
        {formatRupees(row.outstanding_amount)}
        <OnTheWay rupees={row.on_the_way_amount} />
      </>
    ),
    align: 'right',
  },
  {
    key: 'status',
    title: 'Status',
    text: row => STATUS_LABELS[row.status].label,
    render: row => (
      <StatusBadge tone={STATUS_LABELS[row.status].tone}>{STATUS_LABELS[row.status].label}</StatusBadge>
    ),
  },
]

/** Branch only where there are several. */
function columnsFor({ branches }: Choices): readonly Column<Row>[] {
  if (branches.length < 2) return COLUMNS
  return [...COLUMNS.slice(0, 4), BRANCH, ...COLUMNS.slice(4)]
}

function optionsOf(codes: readonly { code: string; name: string }[]) {
  return codes.map(({ code, name }) => ({ value: code, label: name }))
}

function filtersFor(choices: Choices): readonly Filter[] {
  const branches = optionsOf(choices.branches)
  return [
    ...(branches.length > 1 ? [{ key: 'collector_code', label: 'Branch', options: branches }] : []),
    { key: 'academic_year_start', label: 'Year', options: optionsOf(choices.years) },
    { key: 'grade', label: 'Grade', options: optionsOf(choices.grades) },
    { key: 'section', label: 'Section' },
    {
      key: 'status',
      label: 'Status',
      options: [
        { value: 'active', label: 'Active' },
        { value: 'dropped', label: 'Dropped' },
      ],
    },
    {
      key: 'owing',
      label: 'Owes fees',
      options: [
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ],
    },
  ]
}

const SHORTEST = 2

export function StudentsPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const choices = useChoices()
  const mayAdd = useMay('owner', 'finance')
  const { values, set } = useFilters([{ key: 'q', label: 'Search' }])
  const typed = values['q'] ?? ''
  const q = typed.trim().length >= SHORTEST ? typed.trim() : undefined
  return (
    <PageFrame
      title="Students"
      actions={
        <>
          {mayAdd && (
            <LinkButton to="/i/$institute/students/new" params={{ institute }} search={{}}>
              Add a student
            </LinkButton>
          )}
          <LinkButton variant="default" to="/i/$institute/students/fees" params={{ institute }} search={{}}>
            Fee structure
          </LinkButton>
          <LinkButton variant="default" to="/i/$institute/students/import" params={{ institute }} search={{}}>
            Import
          </LinkButton>
          <LinkButton
            variant="default"
            to="/i/$institute/students/rollover"
            params={{ institute }}
            search={{}}
          >
            New academic year
          </LinkButton>
        </>
      }
    >
      <SearchStudents value={typed} onChange={text => set({ q: text || undefined })} />
      <DataTable
        name="Students"
        path={`${path}/students`}
        queryKey="students"
        columns={columnsFor(choices)}
        rowId={row => row.service_student_id}
        filters={filtersFor(choices)}
        query={{ q }}
        counted={['record of a student', 'records of students, one for each year']}
        picked={picked => (
          <>
            <RemindPicked list="students" picked={picked} />
            <LinksForPicked list={`${path}/students`} picked={picked} />
          </>
        )}
        files={(sent, sort) => (
          <Group gap="xs">
            <RemindButtons list="students" sent={sent} />
            <ExportMenu path={`${path}/students/export`} sent={{ ...sent, sort }} />
          </Group>
        )}
        keepsRows
        onOpen={row =>
          void navigate({
            to: '/i/$institute/students/$student',
            params: { institute, student: row.service_student_id },
          })
        }
        empty={emptyText(q)}
      />
    </PageFrame>
  )
}

function emptyText(q: string | undefined): { title: string; description: string } {
  if (q === undefined) {
    return {
      title: 'No students yet',
      description: 'Add a student, import your list, or let your ERP register them.',
    }
  }
  return {
    title: `No student matches “${q}”`,
    description: 'Try the beginning of a name, an admission number, a phone number or an e-mail address.',
  }
}

const PAUSE_MS = 200

/** Searches while one types, a moment after the last key. */
function SearchStudents({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    // The address changed by itself: the back button, a link.
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (text === sent.current) return undefined
    const timer = setTimeout(() => {
      sent.current = text
      onChange(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return (
    <TextInput
      type="search"
      aria-label="Search students"
      placeholder="Name, admission number, phone, e-mail or parent"
      mb="sm"
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
