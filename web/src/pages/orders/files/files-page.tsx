import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { FileColumnsAnswer } from '../../../../../src/console/lists/list.schemas.ts'
import type { ImportFileAnswer } from '../../../../../src/console/lists/import-file.list.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { downloadCsv } from '../../../ui/table/csv.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { FileDrop } from '../../../ui/file/file-drop.tsx'
import { OrdersFrame } from '../orders-frame.tsx'
import { FILE_LABELS } from '../texts.ts'
import { MatchLinks } from './match-links.tsx'

export function FilesPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const open = (file: string): void =>
    void navigate({ to: '/i/$institute/orders/files/$file', params: { institute, file }, search: {} })
  return (
    <OrdersFrame here="files">
      {useMay('owner', 'finance') && <Upload onChecked={open} />}
      <ListTable<ImportFileAnswer>
        name="Files of links"
        path={`${path}/link-batches`}
        queryKey="link-files"
        labels={{ state: FILE_LABELS }}
        rowId={row => row.id}
        onOpen={row => open(row.id)}
        empty={{
          title: 'No file yet',
          description:
            'Create links for a whole class from a spreadsheet: one row, one link. The file is checked first; then you decide whether to create the links.',
        }}
      />
    </OrdersFrame>
  )
}

const HEADINGS = [
  'Parent',
  'Mobile',
  'E-mail',
  'Adm No',
  'Student',
  'Class',
  'Tuition Fee',
  'Transport Fee',
  'Settle dues',
]
const SAMPLE = [
  'Asha Rao',
  '9876543210',
  'asha@example.in',
  'ADM-1042',
  'Kabir Rao',
  '5',
  '45000',
  '6500.50',
  'yes',
]

function Upload({ onChecked }: { onChecked: (id: string) => void }) {
  const path = useInstitutePath()
  const [file, setFile] = useState<File>()
  const read = useCommand<File, FileColumnsAnswer>({ method: 'POST', path: `${path}/link-batches/columns` })
  const take = (chosen: File): void => {
    setFile(chosen)
    read.mutate(chosen)
  }
  if (file !== undefined && read.isSuccess && read.data !== undefined)
    return <MatchLinks file={file} columns={read.data.columns} onSent={onChecked} onCancel={read.reset} />
  return (
    <FileDrop
      label="File of links"
      isSending={read.isPending}
      error={read.error}
      onFile={take}
      example={() => downloadCsv('links-example', HEADINGS, [SAMPLE])}
    >
      A CSV or XLSX file as your school keeps it: the first row names the columns, then one row for each link,
      up to 10,000. Name, mobile and e-mail of the payer and at least one fee are needed; fees stand one in a
      column. It is checked whole first; nothing is made before you say so. A row that an earlier file had
      makes no second link. A link lowers the dues of a student only if its row says so beside the admission
      number.
    </FileDrop>
  )
}
