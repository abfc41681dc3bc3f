import { PAPERS } from '../../receipts/receipt-papers.ts'
import { MOST_AT_ONCE } from '../lists/bulk.rules.ts'
import { picked } from '../lists/picked.input.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { RECEIPT_ID, receiptList } from './receipt.list.ts'

export const receiptParams = input({ receipt_id: field.resourceId('Id of the receipt.', RECEIPT_ID) })

export const printQuery = query({
  paper: optional(field.oneOf(PAPERS, 'What it is printed on; A4 if absent.')),
  copy: optional(field.oneOf(['original', 'duplicate'], 'A duplicate is marked as one.')),
})

export const printPickedQuery = query({
  ...receiptList.filterQuery.fields,
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
