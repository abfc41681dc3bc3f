import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { BANK_ACCOUNT_ID } from '../accounts/account.schemas.ts'
import { LINE_STATES } from './lines.rules.ts'
import { lineState, WITH_MATCHES, type MatchedLine } from './lines.store.ts'
import { EXPECTED_KINDS } from './match.rules.ts'

const TEXT = 'NEFT CR-FEES-AXISCN0123456789'

const match = outputOf<MatchedLine['matches'][number]>()
const matchOutput = match.object({
  kind: match.oneOf(EXPECTED_KINDS, 'What it is.'),
  id: match.text('Its id.', 'stl_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.targetId),
  amount: match.signedAmount('Rupees.', 48000),
  label: match.text('For a person.', 'Settlement AXISCN0123456789'),
  is_recorded_here: match.flag('Whether the payment was recorded from this line.', false),
})

const out = outputOf<never>()

/** Lines of statements, the newest first. */
export const bankLineList = defineList({
  file: 'bank-lines',
  title: 'Bank lines',
  noun: ['line', 'lines'],
  key: 'id',
  columns: {
    day: column(out.day('The day.', '2026-11-16'), { title: 'Day', sort: by.day }),
    text: column(out.text('What the bank says of it.', TEXT), {
      title: 'What the bank says',
      sort: by.name,
    }),
    reference: column(out.optional.text('UTR or cheque number.', 'AXISCN0123456789'), {
      title: 'Reference',
      only: 'file',
    }),
    amount: column(out.signedAmount('Rupees; less than 0 went out.', 48000), {
      title: 'Amount',
      sort: by.number,
    }),
    state: column(out.oneOf(LINE_STATES, 'Open: to be decided.'), { title: 'Status', sort: by.text }),
    matches: column(out.list('What it is.', matchOutput), {
      title: 'Matched with',
      cell: (row: Pick<MatchedLine, 'matches'>) => row.matches.map(({ label }) => label).join('; '),
    }),
    reason: column(
      out.optional.text('What it is, if it is matched with nothing here.', 'Interest of the bank'),
      { title: 'What else it is', only: 'file' },
    ),
    id: out.text('Id of the line.', 'line_01k9zq4m0ve8sbn6yt2hw3c5da'),
    account_id: out.text('The bank account.', BANK_ACCOUNT_ID),
    decided_by: out.optional.text('Absent when it was matched by reference and amount.', 'a@school.example'),
  },
  filters: {
    account_id: filter(field.resourceId('Only of this bank account.', BANK_ACCOUNT_ID), {
      where: 'l.account_id = $1',
    }),
    state: filter(field.oneOf(LINE_STATES, 'Only in this state.'), { where: `${lineState('$0')} = $1` }),
    from: filter(field.day('From this day on.', '2026-11-01'), { label: 'From', where: 'l.day >= $1' }),
    to: filter(field.day('Up to this day.', '2026-11-30'), { label: 'Up to', where: 'l.day <= $1' }),
  },
  rows: {
    select: WITH_MATCHES,
    from: 'bank_lines l',
    scope: ({ id }) => [['l.institute_id = $1', id]],
    order: ['day', 'id'],
    direction: 'desc',
  },
})
export type BankLineAnswer = Shown<typeof bankLineList.output>
