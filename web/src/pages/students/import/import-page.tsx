import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ColumnsAnswer } from '../../../../../src/console/lists/columns.output.ts'
import type { RosterAnswer } from '../../../../../src/console/students/rosters/roster.output.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { FileDrop } from '../../../ui/file/file-drop.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { PageFrame } from '../../../ui/page.tsx'
import { DataTable, type Column } from '../../../ui/table/data-table.tsx'
import { formatMoment, When } from '../../../ui/when.tsx'
import { BackLink } from '../../../ui/link/back-link.tsx'
import { Badge } from '../../orders/badge.tsx'
import { MatchStudents } from './match-students.tsx'
import { ROSTER_LABELS } from './texts.ts'

const COLUMNS: readonly Column<RosterAnswer>[] = [
  { key: 'name', title: 'File', sort: 'name', text: row => row.file_name },
  {
    key: 'state',
    title: 'Status',
    sort: 'state',
    text: row => ROSTER_LABELS[row.state]?.label ?? row.state,
    render: row => <Badge of={row.state} labels={ROSTER_LABELS} />,
  },
  {
    key: 'rows',
    title: 'Rows',
    sort: 'rows',
    isLargestFirst: true,
    align: 'right',
    text: row => formatCount(row.rows.total),
  },
  {
    key: 'bad',
    title: 'Rows to correct',
    sort: 'bad',
    isLargestFirst: true,
    align: 'right',
    text: row => formatCount(row.rows.bad),
  },
  { key: 'by', title: 'Sent by', sort: 'by', text: row => row.created_by },
  {
    key: 'at',
    title: 'When',
    sort: 'at',
    isLargestFirst: true,
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} />,
  },
]

/** Students from a school's own spreadsheet. */
export function ImportPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const mayImport = useMay('owner', 'finance')
  const open = (file: string): void =>
    void navigate({ to: '/i/$institute/students/import/$file', params: { institute, file }, search: {} })
  return (
    <PageFrame
      title="Import students"
      back={
        <BackLink to="/i/$institute/students" params={{ institute }} search={{}}>
          Students
        </BackLink>
      }
    >
      {mayImport ? (
        <Upload onSent={open} />
      ) : (
        <p className="faint">An owner or somebody from finance can import students.</p>
      )}
      <DataTable
        name="Imported files"
        path={`${path}/student-files`}
        queryKey="student-files"
        columns={COLUMNS}
        rowId={row => row.id}
        counted={['file', 'files']}
        onOpen={row => open(row.id)}
        empty={{
          title: 'No file yet',
          description: 'Files that were sent are listed here, with what became of them.',
        }}
      />
    </PageFrame>
  )
}

function Upload({ onSent }: { onSent: (id: string) => void }) {
  const path = useInstitutePath()
  const [file, setFile] = useState<File>()
  const read = useCommand<File, ColumnsAnswer>({ method: 'POST', path: `${path}/student-files/columns` })
  const take = (chosen: File): void => {
    setFile(chosen)
    read.mutate(chosen)
  }
  if (file !== undefined && read.isSuccess && read.data !== undefined)
    return <MatchStudents file={file} columns={read.data.columns} onSent={onSent} onCancel={read.reset} />
  return (
    <FileDrop
      label="File of students"
      isSending={read.isPending}
      error={read.error}
      onFile={take}
      example={`/console/api${path}/student-files/template`}
    >
      A CSV or XLSX file as your school keeps it, up to 20,000 students. The school’s name above the headings,
      headings in two rows and dates in any form are understood. Admission number, name, class and a mobile
      number are enough; fees may stand beside them, one column for each. A student who is registered already
      is brought up to date.
    </FileDrop>
  )
}
