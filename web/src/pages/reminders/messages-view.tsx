import type { MessageAnswer } from '../../../../src/messages/message.list.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'

const LABELS = {
  channel: { email: { label: 'E-mail' }, sms: { label: 'SMS' }, whatsapp: { label: 'WhatsApp' } },
  state: {
    queued: { label: 'Waiting', tone: 'waiting' },
    sent: { label: 'Sent', tone: 'good' },
    failed: { label: 'Not delivered', tone: 'bad' },
  },
} as const

/** Every mail and message to families and staff, and why some did not arrive. */
export function MessagesView() {
  return (
    <ListTable<MessageAnswer>
      name="Messages"
      path={`${useInstitutePath()}/messages`}
      queryKey="messages"
      labels={LABELS}
      rowId={row => row.id}
      empty={{ title: 'No message yet', description: 'Receipts, notices and reminders are listed here.' }}
    />
  )
}
