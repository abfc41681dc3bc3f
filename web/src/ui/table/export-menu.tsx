import { Button, Menu } from '@mantine/core'
import type { Query } from '../../api/client.ts'
import { useSaveFile } from '../file/save-file.tsx'

const KINDS = [
  { format: 'csv', label: 'CSV, up to 1,00,000 rows' },
  { format: 'xlsx', label: 'Excel (XLSX), up to 25,000 rows' },
  { format: 'tally', label: 'Tally XML vouchers' },
] as const

type Props = {
  /** The button's label, where it is not for all that fit. */
  label?: string
  path: string
  sent: Query
  hasVouchers?: boolean
  onLedgers?: () => void
}

/** The whole list with the filters that are set, made by the server. */
export function ExportMenu({ label = 'Export', path, sent, hasVouchers = false, onLedgers }: Props) {
  const { busy, save } = useSaveFile()
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" size="xs" loading={busy !== null}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {KINDS.filter(({ format }) => hasVouchers || format !== 'tally').map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => void save(path, { ...sent, format })}>
            {label}
          </Menu.Item>
        ))}
        {onLedgers !== undefined && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={onLedgers}>Names of the Tally ledgers…</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
