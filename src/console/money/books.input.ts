import { field, input, optional, query } from '../../http/wire/input.ts'
import { ACCOUNT_CODES } from '../../ledger/ledger.rules.ts'
import { STATUSES } from './books.rules.ts'

const days = {
  from: optional(field.rangeStart('From this day on.')),
  to: optional(field.rangeEnd('Up to the end of this day.')).as('before'),
}
const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

const reconciliation = {
  status: field.oneOf(STATUSES, 'Which of them.'),
  due_on: optional(field.day('Only what is expected on this day.', '2026-11-16')),
  ...days,
}
export const reconciliationFilters = query(reconciliation)
export const reconciliationQuery = query({
  ...reconciliation,
  limit: field.pageSize(),
  cursor: field.cursor(PAYMENT_ID),
})

const ledger = {
  account: optional(field.oneOf(ACCOUNT_CODES, 'Only from or to this account.')),
  reference: optional(field.resourceId('Only of this payment, refund or settlement, by its id.', PAYMENT_ID)),
  ...days,
}
export const ledgerFilters = query(ledger)
export const ledgerQuery = query({ ...ledger, limit: field.pageSize(), cursor: field.cursor('42-1') })

export const reportParams = input({
  report_id: field.resourceId('Number of the report that does not match.', '42'),
})
export const resolutionInput = input({
  reason: field.text('What it is; stands in the audit log and beside the report.', 'A sale of the canteen'),
})
