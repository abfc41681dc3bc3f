import { field, ifSent, input, optional, query } from '../../http/wire/input.ts'
import { ofBranch } from './debits.input.ts'
import { FETCH_OUTCOMES } from './erp.store.ts'

/** The default plan, and which calls to the ERP are listed. */
export const settingsInput = input({
  product_name: ifSent(field.code('What parents know it as.', 'Fee instalments')),
  instalments: ifSent(field.wholeNumber('How many, monthly.', 10, [1, 36])),
  day_of_month: ifSent(field.wholeNumber('On which day they are due.', 5, [1, 28])),
  downpayment_percent: ifSent(field.wholeNumber('What is paid at set-up; 0 for nothing.', 10, [0, 90])),
  offered: ifSent(
    field.list(
      'Other numbers of instalments that parents may choose, where they end inside the academic year; [] for none.',
      field.wholeNumber('How many, monthly.', 6, [1, 36]),
      { max: 6 },
    ),
  ),
  reason: field.text('Why; stands in the audit log.', 'New school year'),
})

export const fetchesQuery = query({
  outcome: optional(field.oneOf(FETCH_OUTCOMES, 'Only these.')),
  collector_code: ofBranch,
  limit: field.pageSize(),
  cursor: field.cursor('fetch_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
