import { EXAMPLE } from '../catalogue.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { CheckedAccount, AccountSetup } from './accounts.service.ts'
import { stateOf, type ProviderAccount, type WayTerms } from './accounts.rules.ts'

const METHODS = ['upi', 'card', 'netbanking'] as const
const RAILS = ['enach', 'upi_autopay'] as const
const ACCOUNT_ID = 'pa_01k9zq4m0ve8sbn6yt2hw3c5da'

const uses = {
  title: field.text('What people call it.', 'Main account', 100),
  methods: field.choices(
    'What it takes from payers; none: no payments.',
    field.oneOf(METHODS, 'A way to pay.'),
  ),
  rails: field.choices('On what it debits under mandates; none: no mandates.', field.oneOf(RAILS, 'A rail.')),
}
/** Kept as it is when it is not sent. */
const ways = {
  ways: optional(
    field.list(
      'What the school says of ways to pay.',
      input({
        method: field.oneOf(METHODS, 'Which way.'),
        max_amount: optional(
          field.positiveAmount('The most in one payment; absent: as much as the provider takes.', 100_000),
        ).as('maxPaise'),
        payer_fee_bp: optional(
          field.wholeNumber(
            'What the provider adds for the payer, in hundredths of a percent.',
            200,
            [0, 1_000],
          ),
          0,
        ),
      }),
      { max: METHODS.length },
    ),
  ),
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
  ...ways,
  ...settings,
})
export const accountChangeInput = input({ ...uses, ...ways, ...reason })
export const rotationInput = input({ ...settings, ...reason })
export const accountReasonInput = input(reason)
export const accountParams = input({ account_id: field.resourceId('Id of the account.', ACCOUNT_ID) })

const MOMENT = '2026-11-15T04:32:10.000Z'

const way = outputOf<WayTerms>()
const wayOutput = way.object({
  method: way.oneOf(METHODS, 'Which way to pay.', one => one.method),
  max_amount: way.optional.amount('The most in one payment, rupees.', 100_000, one => one.maxPaise),
  payer_fee_bp: way.integer('What the provider adds for the payer, in hundredths of a percent.', 200),
})

/** An institute's account at a provider; its credentials are never answered. */
const out = outputOf<ProviderAccount>()
const accountFields = {
  id: out.text('Its id.', ACCOUNT_ID),
  provider: out.text('Where it is.', EXAMPLE.name),
  title: out.text('What people call it.', 'Main account'),
  collector_code: out.optional.text('The branch whose money it takes; absent: the whole institute.', 'NORTH'),
  methods: out.texts('What it takes from payers.', ['upi', 'card', 'netbanking'], one => [...one.methods]),
  rails: out.texts('On what it debits under mandates.', ['enach'], one => [...one.rails]),
  ways: out.list('What the school says of ways to pay; one that it says nothing of is not there.', wayOutput),
  state: out.oneOf(
    ['test', 'live', 'paused'],
    'test and live: the kind of its key, which has to be that of the installation. paused: it takes nothing new.',
    stateOf,
  ),
  key_hint: out.text('The end of its key.', '…0001'),
  checked_at: out.optional.moment('When its credentials were last tried, UTC.', MOMENT),
  check_problem: out.optional.text(
    'What was wrong with them then.',
    `${EXAMPLE.title} does not accept the key.`,
  ),
  heard_at: out.optional.moment('When a signed callback last came, to the minute, UTC.', MOMENT),
  created_at: out.moment('When it was added, UTC.', MOMENT),
  created_by: out.text('By whom.', 'owner@school.example'),
  changed_at: out.moment('When it was last changed, UTC.', MOMENT),
  changed_by: out.text('By whom.', 'owner@school.example'),
}
export const accountOutput = out.object(accountFields)
export type AccountAnswer = Shown<typeof accountOutput>

const checked = outputOf<CheckedAccount>()
export const checkedAccountOutput = checked.object({
  account: checked.one('The account.', accountOutput),
  problem: checked.optional.text('What is wrong; absent when the provider accepts the credentials.', ''),
})
export type CheckedAccountAnswer = Shown<typeof checkedAccountOutput>

const setting = outputOf<AccountSetup['providers'][number]['settings'][number]>()
const settingOutput = setting.object({
  field: setting.text('Its name.', 'key_id'),
  label: setting.text('As people know it.', 'Key id'),
  help: setting.text('Where to find it.', 'In the dashboard under API keys.'),
  is_secret: setting.flag('Whether it is hidden while it is typed.', false),
  is_optional: setting.flag('Whether it may be left out.', false),
})
const provider = outputOf<AccountSetup['providers'][number]>()
const providerOutput = provider.object({
  name: provider.text('Its name.', EXAMPLE.name),
  title: provider.text('As people know it.', EXAMPLE.title),
  settings: provider.list('What an account there needs.', settingOutput),
})
const branch = outputOf<AccountSetup['branches'][number]>()
const branchOutput = branch.object({
  collector_code: branch.text('The branch.', 'NORTH'),
  name: branch.text('Its name.', 'North campus'),
  payments: branch.text('Where its new payments go.', 'Main account'),
  mandates: branch.text('Where its new mandates go.', 'Nowhere: not set up'),
})
const setup = outputOf<AccountSetup>()
export const accountSetupOutput = setup.object({
  providers: setup.list('Where an account may be.', providerOutput),
  branches: setup.list('Where the money of each branch goes.', branchOutput),
  callback_base: setup.text(
    'A callback address is this, the provider and the id.',
    'https://fees.example.in/callbacks',
  ),
})
export type AccountSetupAnswer = Shown<typeof accountSetupOutput>
