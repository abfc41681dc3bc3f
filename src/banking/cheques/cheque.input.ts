import { field, input, optional, query } from '../../http/wire/input.ts'
import { CHEQUE_STATES } from './cheques.rules.ts'

const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

const filters = {
  state: optional(field.oneOf(CHEQUE_STATES, 'Only in this state.')),
  number: optional(field.text('The number on it.', '004512', 40)),
}
export const chequeFilters = query(filters)
export const chequesQuery = query({
  ...filters,
  limit: field.pageSize(),
  cursor: field.cursor(PAYMENT_ID),
})

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
