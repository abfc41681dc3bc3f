import { field, input, optional } from '../../http/wire/input.ts'
import { BANK_ACCOUNT_ID } from '../accounts/account.schemas.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { Paise } from '../../platform/money.ts'
import { DEPOSIT_ID } from './deposit.list.ts'
import type { DenominationCount } from './denominations.rules.ts'

export const countedInput = input({
  value: field.wholeNumber('Of the note or coin, rupees.', 500, [1, 2000]),
  count: field.wholeNumber('How many.', 12, [0, 1_000_000]),
})

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

const cash = outputOf<{ amountPaise: Paise }>()
/** Less than 0 when more was deposited than was taken here. */
export const cashInHandOutput = cash.object({
  amount: cash.signedAmount('Cash taken at the counter and not deposited, rupees.', 21500),
})
