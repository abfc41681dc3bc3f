import { field, input, optional, query } from '../../http/wire/input.ts'
import { BANK_ACCOUNT_ID } from '../accounts/account.schemas.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Paise } from '../../platform/money.ts'
import type { DenominationCount } from './denominations.rules.ts'
import type { ListedDeposit } from './deposits.service.ts'

const DEPOSIT_ID = 'dep_01k9zq4m0ve8sbn6yt2hw3c5da'

export const countedInput = input({
  value: field.wholeNumber('Of the note or coin, rupees.', 500, [1, 2000]),
  count: field.wholeNumber('How many.', 12, [0, 1_000_000]),
})

export const depositFilters = query({})
export const depositsQuery = query({ limit: field.pageSize(), cursor: field.cursor(DEPOSIT_ID) })
export const depositParams = input({ deposit_id: field.resourceId('Id of the deposit.', DEPOSIT_ID) })

export const depositInput = input({
  account_id: field.resourceId('The bank account.', BANK_ACCOUNT_ID),
  day: optional(field.day('When; today if absent.', '2026-11-17')),
  denominations: optional(field.list('Of cash.', countedInput, { max: 20 }), []),
  cheques: optional(
    field.list(
      'Ids of payments whose cheques are in the office.',
      field.resourceId('Of a payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
      { max: 200 },
    ),
    [],
  ),
})

export const cancelDepositInput = input({
  reason: field.text('Why; stands in the audit log and on the slip.', 'The bank was closed'),
})

const counted = outputOf<DenominationCount>()
export const countedOutput = counted.object({
  value: counted.integer('Rupees.', 500),
  count: counted.integer('How many.', 24),
})

const out = outputOf<ListedDeposit>()
export const depositOutput = out.object({
  id: out.text('Id of the deposit.', 'dep_01k9zq4m0ve8sbn6yt2hw3c5da'),
  slip_number: out.integer('The number on the slip.', 17),
  kind: out.oneOf(['cash', 'cheque'], 'Of cash, or of cheques.'),
  account_name: out.text('The bank account.', 'HDFC current 4512'),
  day: out.day('When it was taken there.', '2026-11-17'),
  amount: out.amount('Rupees.', 48000),
  cheque_count: out.integer('How many cheques.', 3, one => one.cheques),
  cleared_count: out.integer('How many of them are cleared.', 2, one => one.cleared),
  bounced_count: out.integer('How many of them bounced.', 0, one => one.bounced),
  made_by: out.text('Who made the slip.', 'counter@school.example'),
  received_on: out.optional.day("The day on which the bank's statement has it.", '2026-11-18'),
  cancel_reason: out.optional.text('Why it was cancelled.', 'The bank was closed'),
})
export type DepositAnswer = Shown<typeof depositOutput>

const cash = outputOf<{ amountPaise: Paise }>()
/** Less than 0 when more was deposited than was taken here. */
export const cashInHandOutput = cash.object({
  amount: cash.signedAmount('Cash taken at the counter and not deposited, rupees.', 21500),
})
