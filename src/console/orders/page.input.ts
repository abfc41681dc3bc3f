import { field, ifSent, input, optional, query } from '../../http/wire/input.ts'
import { pageChangeFields } from '../../payment-pages/page.schemas.ts'

/** What the console's operations on payment pages take beyond those of the API. */
export const listPagesQuery = query({
  status: optional(field.oneOf(['published', 'unpublished'], 'Only published ones, or only the others.')),
  collector_code: optional(field.code('Only of this branch.', 'MAIN')),
  limit: field.pageSize(),
  cursor: field.cursor('page_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

export const pageChangeInput = input({
  ...pageChangeFields,
  reason: ifSent(field.text('Why; stands in the audit log.', 'The fair is put off')),
})
