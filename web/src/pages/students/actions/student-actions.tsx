import { Button, Menu } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useMay } from '../../../api/session.ts'
import { AccountNumberDialogue } from './account-number.tsx'
import { ConcessionDialogue } from './concession.tsx'
import { AdvanceRefundDialogue } from './refund-advance.tsx'
import { depositsOf, ReturnDepositDialogue, UndoReturnDialogue } from './return-deposit.tsx'
import { AdvanceDialogue } from './use-advance.tsx'
import { EditProfileDialogue } from './edit-profile.tsx'
import { FamilyLanguageDialogue } from './family-language.tsx'
import { FamilyPageDialogue } from './family-page.tsx'
import { FetchDialogue } from './fetch-now.tsx'
import { PaymentLinkDialogue } from './payment-link.tsx'
import { RecordPaymentDialogue } from './record-payment.tsx'
import { StatusDialogue } from './change-status.tsx'
import { LeavingDialogue } from './leaving.tsx'
import type { ActionProps, Student } from '../use-student.ts'
import { WaiverDialogue } from './waive-late-fee.tsx'

type Action =
  | 'profile'
  | 'family'
  | 'language'
  | 'link'
  | 'record'
  | 'concession'
  | 'waiver'
  | 'advance'
  | 'advanceRefund'
  | 'account'
  | 'deposit'
  | 'undo-deposit'
  | 'fetch'
  | 'leaving'
  | 'status'

const DIALOGUES: Record<Action, (props: ActionProps) => ReactNode> = {
  profile: EditProfileDialogue,
  family: FamilyPageDialogue,
  language: FamilyLanguageDialogue,
  link: PaymentLinkDialogue,
  record: RecordPaymentDialogue,
  concession: ConcessionDialogue,
  waiver: WaiverDialogue,
  advance: AdvanceDialogue,
  advanceRefund: AdvanceRefundDialogue,
  account: AccountNumberDialogue,
  deposit: ReturnDepositDialogue,
  'undo-deposit': UndoReturnDialogue,
  fetch: FetchDialogue,
  leaving: LeavingDialogue,
  status: StatusDialogue,
}

/** Actions on a student; hidden from people who may use none. */
export function StudentActs({ student }: { student: Student }) {
  const mayHandleMoney = useMay('owner', 'finance')
  const mayFetch = useMay('owner', 'finance', 'developer')
  const [action, setAction] = useState<Action | null>(null)
  const Dialogue = action === null ? null : DIALOGUES[action]
  const { dues, has_erp: hasErp, status } = student
  if (!mayFetch) return null
  return (
    <>
      {mayHandleMoney && (
        <>
          <Button
            onClick={() => setAction('link')}
            disabled={dues.total_amount === 0}
            title={
              dues.total_amount === 0 ? 'Nothing is due, so there is nothing to pay by a link.' : undefined
            }
          >
            Payment link
          </Button>
          <Button variant="default" onClick={() => setAction('record')}>
            Record a payment
          </Button>
        </>
      )}
      {!mayHandleMoney && (
        <Button variant="default" disabled={!hasErp} onClick={() => setAction('fetch')}>
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
            <Menu.Item onClick={() => setAction('family')}>Send the family its page</Menu.Item>
            <Menu.Item onClick={() => setAction('language')}>Language of messages</Menu.Item>
            <Menu.Item onClick={() => setAction('concession')} disabled={dues.components.length === 0}>
              Give or change a concession
            </Menu.Item>
            <Menu.Item onClick={() => setAction('waiver')} disabled={dues.late_fee_amount === 0}>
              Waive a late fee
            </Menu.Item>
            <Menu.Item
              onClick={() => setAction('advance')}
              disabled={dues.advance_amount === 0 || dues.total_amount === 0}
            >
              Use the advance for other fees
            </Menu.Item>
            <Menu.Item onClick={() => setAction('advanceRefund')} disabled={dues.advance_amount === 0}>
              Refund the advance
            </Menu.Item>
            {student.can_have_account && (
              <Menu.Item onClick={() => setAction('account')}>Give an account number</Menu.Item>
            )}
            <DepositItems student={student} onChoose={setAction} />
            <Menu.Item onClick={() => setAction('fetch')} disabled={!hasErp}>
              Fetch from the ERP now
            </Menu.Item>
            <Menu.Item onClick={() => setAction('profile')} disabled={student.is_locked}>
              {student.is_locked ? 'Edit the profile in the ERP: it is locked here' : 'Edit the profile'}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item onClick={() => setAction('leaving')}>
              {status === 'active' ? 'Leaving' : 'Settle the leaving'}
            </Menu.Item>
            {status === 'dropped' && (
              <Menu.Item onClick={() => setAction('status')}>Mark as active</Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {Dialogue !== null && <Dialogue student={student} onClose={() => setAction(null)} />}
    </>
  )
}

function DepositItems({ student, onChoose }: { student: Student; onChoose: (action: Action) => void }) {
  return (
    <>
      {depositsOf(student).length > 0 && (
        <Menu.Item onClick={() => onChoose('deposit')}>Give a deposit back</Menu.Item>
      )}
      {student.undoable_returns.length > 0 && (
        <Menu.Item onClick={() => onChoose('undo-deposit')}>Undo the return of a deposit</Menu.Item>
      )}
    </>
  )
}
