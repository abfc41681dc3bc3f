import { field, input } from '../../http/wire/input.ts'

export const reportParams = input({
  report_id: field.resourceId('Number of the report that does not match.', '42'),
})
export const resolutionInput = input({
  reason: field.text('What it is; stands in the audit log and beside the report.', 'A sale of the canteen'),
})
