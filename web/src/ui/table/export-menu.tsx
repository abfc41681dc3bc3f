import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { download, type Query } from '../../api/client.ts'
import { notify } from '../toasts.tsx'

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

/** The whole list with the filters that are set, made by the server; what is wrong with it is said here. */
export function ExportMenu({ label = 'Export', path, sent, hasVouchers = false, onLedgers }: Props) {
  const [isBusy, setIsBusy] = useState(false)
  const start = async (format: string): Promise<void> => {
    setIsBusy(true)
    try {
      notify(`Saved as ${await download(path, { ...sent, format })}`)
    } catch (error) {
      notify(error instanceof Error ? error.message : 'The export failed. Try again in a moment.')
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" size="xs" loading={isBusy}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {KINDS.filter(({ format }) => hasVouchers || format !== 'tally').map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => void start(format)}>
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
