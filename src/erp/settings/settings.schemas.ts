import { field, ifSent, input, nullable } from '../../http/wire/input.ts'
import { LOOKUP_PARAMETERS } from '../erp.rules.ts'
import { MOST_CALLS, type ErpSettings } from './settings.rules.ts'
import { outputOf } from '../../http/wire/output.ts'

/** What says where an ERP is asked for students, and how. */
const url = field.url('Your fetch-student endpoint.', 'https://erp.example.in/fetch-student')
const headerName = field.text('Name of the header.', 'X-Api-Key', 128)
const headerValue = field.text('Its value. Never returned.', 'a-key-of-your-erp')

const branchField = ifSent(
  field.code('Only for this branch; its settings win over those of the institute.', 'MAIN'),
)

const settingsFields = {
  username: ifSent(field.text('For Basic authentication.', 'bursar')),
  password: ifSent(field.text('Its password. Never returned.', 'a-password-of-your-erp')),
  lookup: ifSent(
    field.choices(
      'The query parameters to send; identifier is always among them, and alone if absent.',
      field.oneOf(LOOKUP_PARAMETERS, 'A query parameter.'),
      { min: 1 },
    ),
  ),
  custom_schedule: ifSent(
    field.flag('Whether instalments follow your payment_schedule, which is then required.', false),
  ),
  collector_code: branchField,
  max_calls: ifSent(field.wholeNumber('Calls at once, over all processes; 4 if absent.', 4, [1, MOST_CALLS])),
}

/** Replaces what was set, secrets too. */
export const settingsInput = input({
  ...settingsFields,
  url: nullable(
    field.url(
      'Your fetch-student endpoint; required, and null or "" removes the settings.',
      'http://127.0.0.1:4000/fetch-student',
    ),
  ),
  header: ifSent(
    field.object(
      'A header sent with every call, in place of username and password.',
      input({ name: headerName, value: headerValue }),
    ),
  ),
})

/** The form never shows a secret: an empty one keeps the stored secret while host and name stay the same. */
export const settingsFormInput = input({
  ...settingsFields,
  url,
  header: ifSent(
    field.object(
      'A header in place of username and password.',
      input({ name: headerName, value: ifSent(headerValue) }),
    ),
  ),
  reason: field.text('Why; stands in the audit log.', 'The ERP has moved'),
})

export const removalInput = input({
  collector_code: branchField,
  reason: settingsFormInput.fields.reason,
})

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
