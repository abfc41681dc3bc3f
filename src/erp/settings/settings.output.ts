import { outputOf } from '../../http/wire/output.ts'
import type { ErpSettings } from './settings.rules.ts'

/** Where an ERP is asked for students, without secrets. */
const out = outputOf<ErpSettings>()
export const settingsOutput = out.object('ErpSettings', {
  collector_code: out.optional.text('Present only on settings of a branch.', 'MAIN'),
  url: out.text('As sent.', 'http://127.0.0.1:4000/fetch-student'),
  auth: out.oneOf(['none', 'basic', 'header'], 'How we authenticate.', ({ auth }) => auth.kind, 'basic'),
  username: out.optional.text('Present only with Basic authentication.', 'bursar', ({ auth }) =>
    auth.kind === 'basic' ? auth.username : null,
  ),
  header_name: out.optional.text('Present only with a header.', 'X-Api-Key', ({ auth }) =>
    auth.kind === 'header' ? auth.headerName : null,
  ),
  lookup: out.texts('The query parameters that are sent.', ['identifier', 'grade']),
  custom_schedule: out.flag('Whether a payment_schedule is required.', false),
  max_calls: out.integer('Calls at once, over all processes.', 4),
  updated_at: out.moment('When they were set.', '2026-11-15T04:32:10.000Z'),
})
