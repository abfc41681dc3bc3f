import { Button, Menu } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useMay } from '../../api/session.ts'
import { ConcessionDialogue } from './concession.tsx'
import { FetchDialogue } from './fetch-now.tsx'
import { PaymentLinkDialogue } from './payment-link.tsx'
import { RecordPaymentDialogue } from './record-payment.tsx'
import { StatusDialogue } from './change-status.tsx'
import type { Student } from './student-page.tsx'
import { WaiverDialogue } from './waive-late-fee.tsx'

type Act = 'link' | 'record' | 'concession' | 'waiver' | 'fetch' | 'status'
export type ActProps = { student: Student; onClose: () => void }

const DIALOGUES: Record<Act, (props: ActProps) => ReactNode> = {
  link: PaymentLinkDialogue,
  record: RecordPaymentDialogue,
  concession: ConcessionDialogue,
  waiver: WaiverDialogue,
  fetch: FetchDialogue,
  status: StatusDialogue,
}

/** What can be done with a student; whoever may do nothing sees nothing of it. */
export function StudentActs({ student }: { student: Student }) {
  const mayHandleMoney = useMay('owner', 'finance')
  const mayFetch = useMay('owner', 'finance', 'developer')
  const [act, setAct] = useState<Act | null>(null)
  const Dialogue = act === null ? null : DIALOGUES[act]
  const { dues, has_erp: hasErp, status } = student
  if (!mayFetch) return null
  return (
    <>
      {mayHandleMoney && (
        <>
          <Button onClick={() => setAct('link')} disabled={dues.total_amount === 0}>
            Payment link
          </Button>
          <Button variant="default" onClick={() => setAct('record')}>
            Record a payment
          </Button>
        </>
      )}
      {!mayHandleMoney && (
        <Button variant="default" disabled={!hasErp} onClick={() => setAct('fetch')}>
          Fetch from the ERP
        </Button>
      )}
      {mayHandleMoney && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Button variant="default">
              More<span aria-hidden="true">&nbsp;▾</span>
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setAct('concession')} disabled={dues.components.length === 0}>
              Give or change a concession
            </Menu.Item>
            <Menu.Item onClick={() => setAct('waiver')} disabled={dues.late_fee_amount === 0}>
              Waive a late fee
            </Menu.Item>
            <Menu.Item onClick={() => setAct('fetch')} disabled={!hasErp}>
              Fetch from the ERP now
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item onClick={() => setAct('status')}>
              {status === 'active' ? 'Mark as dropped' : 'Mark as active'}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {Dialogue !== null && <Dialogue student={student} onClose={() => setAct(null)} />}
    </>
  )
}
