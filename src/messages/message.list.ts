import { column, defineList, filter } from '../http/lists/define-list.ts'
import { field } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import { by } from '../platform/db/sorted-list.ts'
import { CHANNELS } from './messages.rules.ts'

const STATES = ['queued', 'sent', 'failed'] as const
const out = outputOf<never>()

/** What left for families and staff, and what did not, the newest first. Texts are not shown: some let their reader in. */
export const messageList = defineList({
  file: 'messages',
  title: 'Messages',
  noun: ['message', 'messages'],
  columns: {
    id: column(out.text('Its id.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'), { sql: 'm.id' }),
    created_at: column(out.moment('When it was written, UTC.', '2026-11-15T04:32:10.000Z'), {
      sql: 'm.created_at',
      title: 'Written (IST)',
      sort: by.moment,
    }),
    channel: column(out.oneOf(CHANNELS, 'How it goes.'), { sql: 'm.channel', title: 'By', sort: by.text }),
    recipient: column(out.text('To whom.', 'asha@example.in'), {
      sql: 'm.recipient',
      title: 'To',
      sort: by.name,
    }),
    subject: column(out.optional.text('Of a mail.', 'Receipt 2026/0042'), {
      sql: 'm.subject',
      title: 'Subject',
      sort: by.name,
    }),
    state: column(out.oneOf(STATES, 'What became of it.'), {
      sql: 'm.state',
      title: 'Status',
      sort: by.text,
    }),
    failure: column(out.optional.text('What went wrong last.', 'mailbox full'), {
      sql: 'm.failure',
      title: 'What went wrong',
    }),
  },
  filters: {
    state: filter(field.oneOf(STATES, 'Only in this state.'), { label: 'Status', where: 'm.state = $1' }),
    channel: filter(field.oneOf(CHANNELS, 'Only by this way.'), { label: 'By', where: 'm.channel = $1' }),
    recipient: filter(field.text('Only to this whole address or number.', 'asha@example.in', 200), {
      label: 'To (whole address or number)',
      where: 'm.recipient = $1',
    }),
  },
  rows: {
    from: 'messages m',
    scope: ({ id }: { id: number }) => [['m.institute_id = $1', id]],
    order: ['id'],
    direction: 'desc',
    isPurged: true,
  },
})

export type MessageAnswer = Shown<typeof messageList.output>
