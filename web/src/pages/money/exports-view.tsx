import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useInstitutePath } from '../../api/session.ts'
import { ShortTable } from '../../ui/table/short-table.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { useSaveFile } from '../../ui/file/save-file.tsx'
import { DayField } from '../../ui/form/day-field.tsx'
import { TallyLedgers } from './tally-ledgers.tsx'

/** Lists as files, and from which to which day they are narrowed. */
const FILES = [
  { list: 'payments', title: 'Payments and refunds', from: 'captured_from', to: 'captured_to' },
  { list: 'receipts', title: 'Receipts', from: 'issued_from', to: 'issued_to' },
  { list: 'settlements', title: 'Settlements', from: 'from', to: 'to' },
  { list: 'ledger', title: 'Entries of the ledger', from: 'from', to: 'to' },
  { list: 'defaulters', title: 'Who owes, as of today' },
  { list: 'ageing', title: 'How overdue the dues are, as of today' },
] as const

const VOUCHERS = FILES.filter(({ list }) => list === 'payments' || list === 'settlements')
const [TODAY_LENGTH, MONTH_LENGTH] = [10, 7]

/** Everything of Money that leaves as a file, with the vouchers for Tally first. */
export function ExportsView() {
  const path = `${useInstitutePath()}/money`
  const today = new Date().toISOString().slice(0, TODAY_LENGTH)
  const [days, setDays] = useState({ from: `${today.slice(0, MONTH_LENGTH)}-01`, to: today })
  const [isNaming, setIsNaming] = useState(false)
  const { busy, save } = useSaveFile()
  const sentFor = (file: (typeof FILES)[number]) =>
    'from' in file ? { [file.from]: days.from, [file.to]: days.to } : {}
  return (
    <>
      <Group gap="xs" align="flex-end" mb="md">
        <DayField label="From" day={days.from} onChange={from => setDays({ ...days, from })} />
        <DayField label="Up to" day={days.to} onChange={to => setDays({ ...days, to })} />
      </Group>
      <h2 className="section-title">Tally</h2>
      <p className="faint">XML vouchers that TallyPrime imports, under the names of your ledgers there.</p>
      <Group gap="xs" mb="md">
        {VOUCHERS.map(file => (
          <Button
            key={file.list}
            size="xs"
            variant="default"
            loading={busy === file.list}
            onClick={() =>
              void save(`${path}/${file.list}/export`, { ...sentFor(file), format: 'tally' }, file.list)
            }
          >
            Vouchers of {file.title.toLowerCase()}
          </Button>
        ))}
        <Button size="xs" variant="subtle" onClick={() => setIsNaming(true)}>
          Names of the Tally ledgers…
        </Button>
      </Group>
      {isNaming && <TallyLedgers onClose={() => setIsNaming(false)} />}
      <h2 className="section-title">Spreadsheets</h2>
      <ShortTable
        name="Exports"
        rows={FILES}
        rowId={({ list }) => list}
        columns={[
          { title: 'What', cell: ({ title }) => title },
          {
            title: 'Save',
            isAction: true,
            cell: file => <ExportMenu path={`${path}/${file.list}/export`} sent={sentFor(file)} />,
          },
        ]}
      />
    </>
  )
}
