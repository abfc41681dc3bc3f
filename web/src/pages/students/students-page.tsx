import { Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { StudentRowAnswer } from '../../../../src/console/students/student.list.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { formatRupees, OnTheWay } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { useFilters } from '../../ui/table/use-filters.ts'
import { yearName } from '../../ui/when.tsx'
import { RemindButtons, RemindPicked } from '../reminders/remind-buttons.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { NumbersForPicked } from './actions/numbers-for-picked.tsx'
import { LinksForPicked } from './actions/links-for-picked.tsx'
import { GiveToPicked } from './optional/give-dialogue.tsx'
import { LinkButton } from '../../ui/link/link-button.tsx'
import { useChoices } from '../../api/choices.ts'
import { STATUS_LABELS } from './texts.ts'

type Row = StudentRowAnswer

const YES = { yes: { label: 'Yes' }, no: { label: 'No' } }
const LABELS = { status: STATUS_LABELS, owing: YES }

const CELLS = {
  fullname: (row: Row) => <strong className="long-text">{row.fullname}</strong>,
  grade_name: (row: Row) => (row.section === undefined ? row.grade_name : `${row.grade_name} ${row.section}`),
  academic_year_start: (row: Row) => (
    <span className="nowrap">{yearName(row.academic_year_start, row.academic_year_end)}</span>
  ),
  paid_amount: (row: Row) => (
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
  outstanding_amount: (row: Row) => (
    <>
      {formatRupees(row.outstanding_amount)}
      <OnTheWay rupees={row.on_the_way_amount} />
    </>
  ),
}

const SHORTEST = 2
const OF_ALL_YEARS = ['row, one for each child and year', 'rows, one for each child and year'] as const

export function StudentsPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const { branches } = useChoices()
  const { values, set } = useFilters([
    { key: 'q', label: 'Search' },
    { key: 'academic_year_start', label: 'Year' },
  ])
  const typed = values['q'] ?? ''
  const q = typed.trim().length >= SHORTEST ? typed.trim() : undefined
  return (
    <PageFrame title="Students" actions={<Links />}>
      <SearchStudents value={typed} onChange={text => set({ q: text || undefined })} />
      <ListTable<Row>
        name="Students"
        path={`${path}/students`}
        queryKey="students"
        cells={CELLS}
        labels={LABELS}
        {...(branches.length < 2 ? { without: ['collector_code'] } : {})}
        rowId={row => row.service_student_id}
        query={{ q }}
        {...(values['academic_year_start'] === undefined ? { called: OF_ALL_YEARS } : {})}
        picked={picked => (
          <>
            <RemindPicked list="students" picked={picked} />
            <LinksForPicked list={`${path}/students`} picked={picked} />
            <GiveToPicked list={`${path}/students`} picked={picked} />
            <NumbersForPicked list={`${path}/students`} picked={picked} />
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

/** Where the students' other pages are. */
function Links() {
  const { code: institute } = useInstitute()
  const mayAdd = useMay('owner', 'finance')
  return (
    <>
      {mayAdd && (
        <LinkButton to="/i/$institute/students/new" params={{ institute }} search={{}}>
          Add a student
        </LinkButton>
      )}
      <LinkButton variant="default" to="/i/$institute/students/fees" params={{ institute }} search={{}}>
        Fee structure
      </LinkButton>
      <LinkButton
        variant="default"
        to="/i/$institute/students/optional-fees"
        params={{ institute }}
        search={{}}
      >
        Optional fees
      </LinkButton>
      <LinkButton variant="default" to="/i/$institute/students/import" params={{ institute }} search={{}}>
        Import
      </LinkButton>
      <LinkButton variant="default" to="/i/$institute/students/rollover" params={{ institute }} search={{}}>
        New academic year
      </LinkButton>
      <LinkButton variant="default" to="/i/$institute/students/leavers" params={{ institute }} search={{}}>
        Leavers
      </LinkButton>
    </>
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
