import { EXAMPLE } from '../catalogue.ts'
import { field, input, optional } from '../../http/wire/input.ts'

const METHODS = ['upi', 'card', 'netbanking'] as const
const RAILS = ['enach', 'upi_autopay'] as const
export const ACCOUNT_ID = 'pa_01k9zq4m0ve8sbn6yt2hw3c5da'

const uses = {
  title: field.text('What people call it.', 'Main account', 100),
  methods: field.choices(
    'What it takes from payers; none: no payments.',
    field.oneOf(METHODS, 'A way to pay.'),
  ),
  rails: field.choices('On what it debits under mandates; none: no mandates.', field.oneOf(RAILS, 'A rail.')),
}
const settings = {
  settings: field.list(
    'Its credentials. They are stored encrypted and never answered.',
    input({
      field: field.code('Which one.', 'key_id'),
      value: field.text('Its value.', 'rzp_test_Key0000000001'),
    }),
    { max: 10 },
  ),
}
const reason = { reason: field.text('Why; stands in the audit log.', 'The yearly change of keys') }

export const newAccountInput = input({
  provider: field.code('Where the account is.', EXAMPLE.name),
  collector_code: optional(
    field.code('The branch whose money it takes; absent: the whole institute.', 'NORTH'),
  ),
  ...uses,
  ...settings,
})
export const accountChangeInput = input({ ...uses, ...reason })
export const rotationInput = input({ ...settings, ...reason })
export const accountReasonInput = input(reason)
export const accountParams = input({ account_id: field.resourceId('Id of the account.', ACCOUNT_ID) })
