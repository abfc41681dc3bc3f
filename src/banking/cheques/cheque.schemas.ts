import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { chequeList, PAYMENT_ID, type Cheque } from './cheque.list.ts'

export const chequeParams = input({ payment_id: field.resourceId('Id of its payment.', PAYMENT_ID) })

const day = optional(field.day('When; today if absent.', '2026-11-18'))

export const clearInput = input({ day })
export const bounceInput = input({
  day,
  reason: field.text('As the bank gives it; it stands on the cancelled receipt.', 'Funds insufficient'),
  charge_amount: optional(field.positiveAmount('Charged to the family for it, rupees.', 500)).as(
    'chargePaise',
  ),
})

/** A cheque that a line of a bank statement may have returned. */
const returned = outputOf<Cheque & { isNamed: boolean }>()
export const returnedChequeOutput = returned.object({
  ...chequeList.columns,
  is_named: returned.flag('The line names its number.', true),
})
export type ReturnedChequeAnswer = Shown<typeof returnedChequeOutput>
