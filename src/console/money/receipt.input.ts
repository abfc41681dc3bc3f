import { PAPERS } from '../../receipts/receipt-papers.ts'
import { MOST_AT_ONCE } from '../lists/bulk.rules.ts'
import { picked } from '../lists/picked.input.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'

const RECEIPT_ID = '2026-27-000042'

const filters = {
  number: optional(field.code('The number, with or without its year.', '2026-27/000042')),
  status: optional(field.oneOf(['issued', 'cancelled'], 'Only those that stand, or do not.')),
  issued_from: optional(field.rangeStart('Issued from this day on.')).as('from'),
  issued_to: optional(field.rangeEnd('Issued up to the end of this day.')).as('before'),
}

export const receiptFilters = query(filters)
export const receiptsQuery = query({
  ...filters,
  limit: field.pageSize(),
  cursor: field.cursor(RECEIPT_ID),
})

export const receiptParams = input({ receipt_id: field.resourceId('Id of the receipt.', RECEIPT_ID) })

export const printQuery = query({
  paper: optional(field.oneOf(PAPERS, 'What it is printed on; A4 if absent.')),
  copy: optional(field.oneOf(['original', 'duplicate'], 'A duplicate is marked as one.')),
})

export const printPickedQuery = query({
  ...filters,
  picked,
  paper: optional(field.oneOf(['a4', 'a5'], 'What they are printed on; A4 if absent.')),
})

export const mailInput = input({
  receipt_ids: field.list('Which receipts.', field.resourceId('A receipt.', RECEIPT_ID), {
    min: 1,
    max: MOST_AT_ONCE,
  }),
})

export const cancelInput = input({ reason: field.text('Why; it is printed on the receipt.', 'Wrong payer') })
