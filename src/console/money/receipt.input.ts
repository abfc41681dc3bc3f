import { PAPERS } from '../../receipts/receipt-papers.ts'
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

export const cancelInput = input({ reason: field.text('Why; it is printed on the receipt.', 'Wrong payer') })
