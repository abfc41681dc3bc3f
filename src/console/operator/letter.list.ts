import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { listDeadLetters, type DeadLetter } from './jobs.store.ts'
import { LETTER_KINDS } from './operator.rules.ts'

const out = outputOf<DeadLetter>()

/** What was given up in any institute, the newest first. */
export const letterList = defineList({
  file: 'dead-letters',
  title: 'Given up',
  noun: ['letter', 'letters'],
  columns: {
    id: out.text('Id of the delivery, message or import.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'),
    kind: out.oneOf(LETTER_KINDS, 'What it is.'),
    at: column(out.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'), { title: 'Made' }),
    institute_code: out.text('Whose it is.', 'demo-school'),
    institute_name: column(out.text('Its name.', 'Demo School'), { title: 'Institute' }),
    subject: column(out.text('What it was, and to whom.', 'email to asha@example.in'), { title: 'What' }),
    problem: column(out.optional.text('What went wrong last.', 'mailbox full'), { title: 'What went wrong' }),
    tries: column(out.optional.integer('How often it was tried.', 8), { title: 'Tries' }),
  },
  filters: {
    kind: filter(field.oneOf(LETTER_KINDS, 'Of which kind; deliveries if absent.'), { label: 'Kind' }),
  },
  rows: {
    page: ({ db }, _of: null, { kind = 'delivery' }, range) => listDeadLetters(db, kind, range),
    all: () => null,
  },
})

export type LetterAnswer = Shown<typeof letterList.output>
