import '../orders.css'
import { useNavigate } from '@tanstack/react-router'
import type { BatchAnswer } from '../../../../../src/console/orders/link-files/link-file.output.ts'
import { useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { downloadCsv } from '../../../ui/table/csv.ts'
import { DataTable, type Column } from '../../../ui/table/data-table.tsx'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { formatCount } from '../../../ui/money.tsx'
import type { Filter } from '../../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../../ui/when.tsx'
import { Badge } from '../badge.tsx'
import { OrdersFrame } from '../orders-frame.tsx'
import { FILE_LABELS } from '../texts.ts'

const COLUMNS: readonly Column<BatchAnswer>[] = [
  { key: 'name', title: 'File', text: row => row.file_name },
  {
    key: 'state',
    title: 'Status',
    text: row => FILE_LABELS[row.state]?.label ?? row.state,
    render: row => <Badge of={row.state} labels={FILE_LABELS} />,
  },
  { key: 'rows', title: 'Rows', align: 'right', text: row => formatCount(row.rows.total) },
  {
    key: 'bad',
    title: 'Invalid rows',
    align: 'right',
    text: row => formatCount(row.rows.bad + row.rows.failed),
  },
  { key: 'made', title: 'Links made', align: 'right', text: row => formatCount(row.rows.made) },
  { key: 'by', title: 'Sent by', text: row => row.created_by },
  {
    key: 'at',
    title: 'When',
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} />,
  },
]

const FILTERS: readonly Filter[] = [
  {
    key: 'state',
    label: 'Status',
    options: Object.entries(FILE_LABELS).map(([value, { label }]) => ({ value, label })),
  },
]

export function FilesPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const open = (file: string): void =>
    void navigate({ to: '/i/$institute/orders/files/$file', params: { institute, file }, search: {} })
  return (
    <OrdersFrame here="files">
      {useMay('owner', 'finance') && <Upload onChecked={batch => open(batch.id)} />}
      <DataTable
        name="Files of links"
        path={`${path}/link-batches`}
        queryKey="link-files"
        columns={COLUMNS}
        rowId={row => row.id}
        filters={FILTERS}
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
  'name',
  'phone',
  'email',
  'component_type',
  'amount',
  'component_type_2',
  'amount_2',
  'student_name',
  'identifier',
  'settle_dues',
  'grade',
  'expires_at',
  'collector_code',
  'reference',
]
const SAMPLE = [
  'Asha Rao',
  '9876543210',
  'asha@example.in',
  'TUITION_FEE',
  '45000',
  'TRANSPORT_FEE',
  '6500.50',
  'Kabir Rao',
  'ADM-1042',
  'yes',
  '5',
  '2027-03-31',
  '',
  'term-2-1042',
]

function Upload({ onChecked }: { onChecked: (batch: BatchAnswer) => void }) {
  const path = useInstitutePath()
  const upload = useCommand<File, BatchAnswer>({
    method: 'POST',
    path: `${path}/link-batches`,
    refreshes: ['link-files'],
    onDone: onChecked,
  })
  const problem = wholeProblem(upload.error)
  return (
    <FileDrop
      label="File of links"
      isSending={upload.isPending}
      problem={problem}
      onFile={file => upload.mutate(file)}
      onExample={() => downloadCsv('links-example', HEADINGS, [SAMPLE])}
    >
      A CSV or XLSX file with one row for each link, up to 10,000. It is checked whole first; nothing is made
      before you say so. A row that an earlier file had makes no second link. A link lowers the dues of a
      student only if its row has “yes” under settle_dues beside the admission number (identifier), or the
      student’s id under service_student_id.
    </FileDrop>
  )
}
