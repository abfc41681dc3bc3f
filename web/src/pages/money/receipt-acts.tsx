import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { download } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import { counted } from '../../ui/money.tsx'
import { BulkDialogue } from '../../ui/table/bulk-dialogue.tsx'
import { countOf, type PickedRows } from '../../ui/table/list-parts.tsx'
import { notify } from '../../ui/toasts.tsx'

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

/** One file, made by the server; what is wrong with it is said here. */
function PrintMenu({ path, picked }: Props) {
  const [isBusy, setIsBusy] = useState(false)
  const start = async (paper: string): Promise<void> => {
    setIsBusy(true)
    const sent = picked.ids === undefined ? picked.all : { picked: picked.ids.join(',') }
    try {
      notify(`Saved as ${await download(`${path}/pdf`, { ...sent, paper })}`)
    } catch (error) {
      notify(error instanceof Error ? error.message : 'The file could not be made. Try again in a moment.')
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button size="xs" loading={isBusy}>
          One PDF of these
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void start('a4')}>A4, a page each</Menu.Item>
        <Menu.Item onClick={() => void start('a5')}>A5, a page each</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
