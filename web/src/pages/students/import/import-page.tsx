import { Alert } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { FileColumnsAnswer } from '../../../../../src/console/lists/list.schemas.ts'
import type { ImportFileAnswer } from '../../../../../src/console/lists/import-file.list.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { FileDrop } from '../../../ui/file/file-drop.tsx'
import { PageFrame } from '../../../ui/page.tsx'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { MatchStudents } from './match-students.tsx'
import { ROSTER_LABELS } from './texts.ts'

const TRAIL: readonly Crumb[] = [{ label: 'Students', to: '/i/$institute/students' }]

/** Students from a school's own spreadsheet. */
export function ImportPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const mayImport = useMay('owner', 'finance')
  const open = (file: string): void =>
    void navigate({ to: '/i/$institute/students/import/$file', params: { institute, file }, search: {} })
  return (
    <PageFrame title="Import students" back={<Crumbs trail={TRAIL} />}>
      {mayImport ? (
        <Upload onSent={open} />
      ) : (
        <p className="faint">An owner or somebody from finance can import students.</p>
      )}
      <ListTable<ImportFileAnswer>
        name="Imported files"
        path={`${path}/student-files`}
        queryKey="student-files"
        labels={{ state: ROSTER_LABELS }}
        rowId={row => row.id}
        onOpen={row => open(row.id)}
        empty={{
          title: 'No file yet',
          description: 'Files that were sent are listed here, with what became of them.',
        }}
      />
    </PageFrame>
  )
}

function OtherSheets({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <Alert color="yellow" mb="md" role="status">
      {`Only the first sheet of this file is read, and not ${names.map(name => `“${name}”`).join(', ')}. If there are children in them too, copy them below those of the first sheet, or save each sheet as a file.`}
    </Alert>
  )
}

function Upload({ onSent }: { onSent: (id: string) => void }) {
  const path = useInstitutePath()
  const [file, setFile] = useState<File>()
  const read = useCommand<File, FileColumnsAnswer>({ method: 'POST', path: `${path}/student-files/columns` })
  const take = (chosen: File): void => {
    setFile(chosen)
    read.mutate(chosen)
  }
  if (file !== undefined && read.isSuccess && read.data !== undefined)
    return (
      <>
        <OtherSheets names={read.data.other_sheets} />
        <MatchStudents file={file} columns={read.data.columns} onSent={onSent} onCancel={read.reset} />
      </>
    )
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
