import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type {
  ComponentChange,
  NamedSettlementAccount,
  SettledComponent,
  SettlementSetup,
  TakingAccount,
} from './settlement-accounts.service.ts'

const BANK_ACCOUNT_ID = 'acct_01k9zq4m0ve8sbn6yt2hw3c5da'
const MOMENT = '2026-11-15T04:32:10.000Z'
const MOST_COMPONENTS = 200

export const linkInput = input({
  bank_account_id: field.code('Which bank account of the school.', BANK_ACCOUNT_ID),
  account_id: field.code('Which account at a provider takes the payments.', 'sandbox'),
  linked_id: field.code('How that account knows the bank account.', 'acc_hostel'),
})

export const componentAccountsInput = input({
  components: field.list(
    'The components that are settled in a bank account of their own; all others are settled with the provider account.',
    input({
      component_type: field.code('Which component.', 'HOSTEL_FEE'),
      bank_account_id: field.code('In which bank account.', BANK_ACCOUNT_ID),
    }),
    { max: MOST_COMPONENTS },
  ),
  reason: field.text('Why; stands in the audit log.', 'The hostel has its own account at the bank'),
})

const linked = outputOf<NamedSettlementAccount>()
export const settlementAccountOutput = linked.object({
  bank_account_id: linked.text('The bank account.', BANK_ACCOUNT_ID),
  name: linked.text('What the office calls it.', 'Hostel account 7781'),
  account_id: linked.text('The account at a provider that takes the payments.', 'sandbox'),
  linked_id: linked.text('How that account knows it.', 'acc_hostel'),
  state: linked.oneOf(
    ['unverified', 'verified'],
    'As the provider said when it was last asked; what belongs to an unverified one cannot be paid online.',
  ),
  problem: linked.optional.text('Why it is not verified.', 'The provider is still checking its documents.'),
  checked_at: linked.moment('When the provider was last asked, UTC.', MOMENT),
  changed_by: linked.text('Who entered it.', 'owner@school.example'),
})
export type SettlementAccountAnswer = Shown<typeof settlementAccountOutput>

const taking = outputOf<TakingAccount>()
const takingOutput = taking.object({
  id: taking.text('Its id.', 'sandbox'),
  title: taking.text('What people call it.', 'The sandbox bank'),
  collector_codes: taking.texts('The branches whose payments it takes.', ['MAIN']),
  can_split: taking.flag('Whether it can settle parts of a payment in other bank accounts.', true),
  id_label: taking.optional.text(
    'What the provider calls the id of such a bank account.',
    'Linked account id',
  ),
  id_help: taking.optional.text('Where a person finds it.', 'In the dashboard under Route, Accounts.'),
})

const closed = outputOf<SettledComponent['closed'][number]>()
const closedOutput = closed.object({
  collector_code: closed.text('The branch.', 'MAIN'),
  why: closed.text('Why it cannot be paid online there.', 'belongs to an account that is not verified'),
})
const component = outputOf<SettledComponent>()
const componentOutput = component.object({
  component_type: component.text('The component; its terms and months go with it.', 'HOSTEL_FEE'),
  bank_account_id: component.text('Where it is settled.', BANK_ACCOUNT_ID),
  bank_account: component.text('What the office calls that account.', 'Hostel account 7781'),
  closed: component.list('Branches in which it cannot be paid online.', closedOutput),
})

const setup = outputOf<SettlementSetup>()
export const settlementSetupOutput = setup.object({
  taking: setup.list('The accounts that take payments.', takingOutput),
  linked: setup.list('How they know bank accounts of the school.', settlementAccountOutput),
  components: setup.list('What is settled in a bank account of its own.', componentOutput),
})
export type SettlementSetupAnswer = Shown<typeof settlementSetupOutput>

const named = outputOf<ComponentChange['after'][number]>()
const namedOutput = named.object({
  component_type: named.text('The component.', 'HOSTEL_FEE'),
  bank_account_id: named.text('Where it is settled.', BANK_ACCOUNT_ID),
  name: named.text('What the office calls that account.', 'Hostel account 7781'),
})
export const componentAccountOutput = namedOutput
