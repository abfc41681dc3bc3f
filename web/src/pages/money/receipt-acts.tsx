import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { useSaveFile } from '../../ui/file/save-file.tsx'
import { counted } from '../../ui/money.tsx'
import { BulkDialogue } from '../../ui/table/bulk-dialogue.tsx'
import { countOf, type PickedRows } from '../../ui/table/list-parts.tsx'

type Props = { path: string; picked: PickedRows }

/** What can be done with receipts that are picked, or with all that fit. */
export function ReceiptActs({ path, picked }: Props) {
  const [isMailing, setIsMailing] = useState(false)
  const mayMail = useMay('owner', 'finance')
  return (
    <>
      <PrintMenu path={path} picked={picked} />
      {mayMail && (
        <Button size="xs" variant="default" onClick={() => setIsMailing(true)}>
          Mail these again
        </Button>
      )}
      {isMailing && (
        <BulkDialogue
          title={`Mail ${counted(countOf(picked), 'receipt')} again?`}
          description="Each family gets the mail with the PDF once more. Cancelled receipts, and families who were written to about the payment within the last day, are left out."
          verb="Mail"
          done={['receipt mailed', 'receipts mailed']}
          picked={picked}
          run={{
            list: path,
            path: `${path}/messages`,
            ids: 'receipt_ids',
            refreshes: ['money-receipts', 'audit'],
          }}
          body={() => ({})}
          onClose={() => setIsMailing(false)}
        />
      )}
    </>
  )
}

function PrintMenu({ path, picked }: Props) {
  const { busy, save } = useSaveFile()
  const sent = picked.ids === undefined ? picked.all : { picked: picked.ids.join(',') }
  const start = (paper: string): void => void save(`${path}/pdf`, { ...sent, paper })
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button size="xs" loading={busy !== null}>
          One PDF of these
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => start('a4')}>A4, a page each</Menu.Item>
        <Menu.Item onClick={() => start('a5')}>A5, a page each</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
