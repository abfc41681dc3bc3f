import { field, input, optional, query } from '../../http/wire/input.ts'
import { badField } from '../../platform/errors.ts'
import { directPaymentFields } from '../../students/direct-payments/direct-payment.input.ts'
import { studentParams } from '../../students/student.input.ts'
import { BANK_ACCOUNT_ID } from '../accounts/account.input.ts'
import { bounceInput } from '../cheques/cheque.input.ts'
import type { Columns } from './columns.rules.ts'
import { EXPECTED_KINDS } from './match.rules.ts'

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

type Sent = ReturnType<(typeof statementQuery)['read']>

export function columnsIn(sent: Sent): Columns | null {
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
