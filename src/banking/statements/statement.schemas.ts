import { field, input, optional, query } from '../../http/wire/input.ts'
import { badField } from '../../platform/errors.ts'
import { directPaymentFields } from '../../students/direct-payments/direct-payment.schemas.ts'
import { studentParams } from '../../students/student.input.ts'
import { BANK_ACCOUNT_ID } from '../accounts/account.schemas.ts'
import { bounceInput } from '../cheques/cheque.schemas.ts'
import type { Columns } from './columns.rules.ts'
import type { LineProblem, StatementLine } from './lines.rules.ts'
import { EXPECTED_KINDS } from './match.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { LabelledExpected } from './decide.service.ts'
import type { AddedStatement, BankStatus, StatementPreview } from './statements.service.ts'

const LINE_ID = 'line_01k9zq4m0ve8sbn6yt2hw3c5da'
/** A query has no numbers. */
const place = (what: string, example: number) => optional(field.text(what, String(example), 5))

/** Columns count from 0; they count only with the row of the header. */
export const statementQuery = query({
  account_id: field.resourceId('The bank account.', BANK_ACCOUNT_ID),
  name: optional(field.text('The name of the file.', 'statement.csv')),
  header_row: place('The row that names the columns, from 1.', 12),
  date_column: place('The day.', 0),
  text_column: place('What the bank says of it.', 1),
  reference_column: place('UTR or cheque number.', 2),
  debit_column: place('What went out.', 4),
  credit_column: place('What came in, or the amount of either.', 5),
  mark_column: place('Dr or Cr.', 6),
  balance_column: place('The balance.', 6),
  similar: optional(
    field.oneOf(
      ['add'],
      'Adds also lines with the day and amount, but not the reference, of a line that a file of another format brought.',
    ),
  ),
})

type SentStatementQuery = ReturnType<(typeof statementQuery)['read']>

export function columnsIn(sent: SentStatementQuery): Columns | null {
  const headerRow = numberIn('header_row', sent.headerRow)
  if (headerRow === null) return null
  return {
    headerRow,
    date: numberIn('date_column', sent.dateColumn),
    text: numberIn('text_column', sent.textColumn),
    reference: numberIn('reference_column', sent.referenceColumn),
    debit: numberIn('debit_column', sent.debitColumn),
    credit: numberIn('credit_column', sent.creditColumn),
    mark: numberIn('mark_column', sent.markColumn),
    balance: numberIn('balance_column', sent.balanceColumn),
  }
}

function numberIn(key: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d+$/.test(text)) throw badField(key, 'must be a whole number')
  return Number(text)
}

export const missingQuery = query({
  from: field.day('From this day on.', '2026-11-01'),
  to: field.day('Up to this day.', '2026-11-30'),
})

export const lineParams = input({ line_id: field.resourceId('Id of the line.', LINE_ID) })

const target = input({
  kind: field.oneOf(EXPECTED_KINDS, 'What it is.'),
  id: field.text('Its id.', 'stl_01k9zq4m0ve8sbn6yt2hw3c5da', 128),
})
export const matchInput = input({
  targets: field.list('What the line is; its amount together.', target, { min: 1, max: 200 }),
})

export const paymentInput = input({
  service_student_id: studentParams.fields.service_student_id,
  fee_components: directPaymentFields.fee_components,
  waive_late_fee_reason: optional(field.text('Why a late fee that is due is not taken.', 'Bank holiday')).as(
    'waiveReason',
  ),
})

export const bounceLineInput = input({
  payment_id: field.resourceId(
    'The payment by the cheque that the bank returned.',
    'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  reason: bounceInput.fields.reason,
  charge_amount: bounceInput.fields.charge_amount,
})

export const reasonInput = input({
  reason: field.text('What it is, or why; stands in the audit log.', 'Interest of the bank'),
})

const TEXT = 'NEFT CR-FEES-AXISCN0123456789'

const columns = outputOf<Columns>()
const columnsOutput = columns.object({
  header_row: columns.integer('The row that names the columns, from 1.', 12),
  date: columns.optional.integer('The column of the day, from 0.', 0),
  text: columns.optional.integer('Of what the bank says.', 1),
  reference: columns.optional.integer('Of UTR or cheque number.', 2),
  debit: columns.optional.integer('Of what went out.', 4),
  credit: columns.optional.integer('Of what came in.', 5),
  mark: columns.optional.integer('Of Dr or Cr.', 6),
  balance: columns.optional.integer('Of the balance.', 6),
})

const sample = outputOf<StatementLine>()
const sampleFields = {
  day: sample.day('The day.', '2026-11-16'),
  amount: sample.signedAmount('Rupees; less than 0 went out.', 48000),
  text: sample.text('What the bank says of it.', TEXT),
  reference: sample.optional.text('UTR or cheque number.', 'AXISCN0123456789'),
}

const problem = outputOf<LineProblem>()
const preview = outputOf<StatementPreview>()
export const statementPreviewOutput = preview.object({
  format: preview.oneOf(['csv', 'xlsx', 'mt940'], 'The kind of file.'),
  columns: preview.optional.one('Where it has what; absent while that is not known.', columnsOutput),
  header_row: preview.integer('The row that is taken for the header, from 1.', 12),
  titles: preview.texts('Of the columns, in their order.', ['date', 'narration']),
  line_count: preview.integer('How many lines were read.', 120),
  first_day: preview.optional.day('The first day.', '2026-11-01'),
  last_day: preview.optional.day('The last day.', '2026-11-16'),
  known_count: preview.integer('Lines that an earlier statement has in these words.', 80),
  other_format_count: preview.integer(
    'Lines that an earlier statement of another format has; they are not added again.',
    0,
  ),
  doubtful_count: preview.integer(
    'Lines with the day and amount of one that another format brought, and another reference; `similar` adds them.',
    0,
  ),
  doubtful: preview.list('The first of these.', sample.object(sampleFields)),
  samples: preview.list('The first lines.', sample.object(sampleFields)),
  problems: preview.list(
    'Rows that cannot be read.',
    problem.object({
      row_no: problem.integer('The row.', 14),
      message: problem.text('What is wrong.', 'The amount cannot be read'),
    }),
  ),
})
export type StatementPreviewAnswer = Shown<typeof statementPreviewOutput>

const added = outputOf<AddedStatement>()
export const addedStatementOutput = added.object({
  id: added.text('Id of the statement.', 'stmt_01k9zq4m0ve8sbn6yt2hw3c5da'),
  first_day: added.day('The first day.', '2026-11-01'),
  last_day: added.day('The last day.', '2026-11-16'),
  line_count: added.integer('How many lines it has.', 120),
  new_line_count: added.integer('Of which no earlier statement had these.', 40),
  matched_count: added.integer('How many lines were matched.', 36, one => one.matched),
})
export type AddedStatementAnswer = Shown<typeof addedStatementOutput>

type ListedStatement = BankStatus['statements'][number]
const listed = outputOf<ListedStatement>()
const gap = outputOf<BankStatus['gaps'][number]>()
const out = outputOf<BankStatus>()
export const bankStatusOutput = out.object({
  id: out.text('Id of the bank account.', BANK_ACCOUNT_ID),
  name: out.text('What the office calls it.', 'HDFC current 4512'),
  first_day: out.optional.day('Its statements begin on.', '2026-04-01'),
  last_day: out.optional.day('Its statements reach to.', '2026-11-16'),
  reconciled_through: out.optional.day(
    'Every day up to this one is on a statement and every line decided.',
    '2026-11-14',
  ),
  gaps: out.list(
    'Days between two statements that none of them has, the oldest first.',
    gap.object({
      from: gap.day('The first of them.', '2026-05-01'),
      to: gap.day('The last of them.', '2026-05-03'),
      is_money_missing: gap.flag(
        'Whether the balances show that money moved on them; else it is not known.',
        true,
      ),
    }),
  ),
  open_lines: out.integer('Lines to decide.', 4),
  open_credit: out.amount('Of which came in, rupees.', 21000, one => one.openCreditPaise),
  open_debit: out.amount('Of which went out, rupees.', 118, one => one.openDebitPaise),
  statements: out.list(
    'The last ones, the newest first.',
    listed.object({
      id: listed.text('Id of the statement.', 'stmt_01k9zq4m0ve8sbn6yt2hw3c5da'),
      file_name: listed.text('The name of the file.', 'statement.csv'),
      first_day: listed.day('The first day.', '2026-11-01'),
      last_day: listed.day('The last day.', '2026-11-16'),
      line_count: listed.integer('How many lines it has.', 120),
      new_line_count: listed.integer('Of which no earlier statement had these.', 40),
      uploaded_by: listed.text('Who added it.', 'counter@school.example'),
      uploaded_at: listed.text('When, UTC.', '2026-11-16T06:30:00+00:00'),
    }),
  ),
})
export type BankStatusAnswer = Shown<typeof bankStatusOutput>

const expected = outputOf<LabelledExpected>()
export const expectedOutput = expected.object({
  kind: expected.oneOf(EXPECTED_KINDS, 'What it is.'),
  id: expected.text('Its id.', 'stl_01k9zq4m0ve8sbn6yt2hw3c5da'),
  day: expected.day('When.', '2026-11-16'),
  amount: expected.signedAmount('Rupees; less than 0 is taken back by the bank.', 48000),
  reference: expected.optional.text('UTR or cheque number.', 'AXISCN0123456789'),
  label: expected.text('For a person.', 'Settlement AXISCN0123456789'),
})
export type ExpectedMoneyAnswer = Shown<typeof expectedOutput>

const again = outputOf<{ count: number }>()
export const matchedAgainOutput = again.object({
  matched_count: again.integer('How many lines were matched.', 3, one => one.count),
})
