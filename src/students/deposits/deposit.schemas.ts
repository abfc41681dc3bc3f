import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { ComponentAmount } from '../../fees/advances/advances.rules.ts'

export const depositsInput = input({
  component_types: field.list(
    'The fees that are held for families and given back; all others are not.',
    field.code('A fee.', 'CAUTION_DEPOSIT'),
    { max: 50 },
  ),
})

type Deposits = { componentTypes: readonly string[] }
const deposits = outputOf<Deposits>()
export const depositsOutput = deposits.object({
  component_types: deposits.texts(
    'The fees that are held for families and given back.',
    ['CAUTION_DEPOSIT'],
    one => [...one.componentTypes],
  ),
})

export const depositReturnInput = input({
  component_type: field.code('Which deposit.', 'CAUTION_DEPOSIT'),
  amount: optional(field.positiveAmount('All that is held when absent.', 5000)).as('amountPaise'),
  reason: field.text('Why; stands in the history of the fee and the audit log.', 'Left the school'),
})

const returned = outputOf<ComponentAmount>()
export const depositReturnOutput = returned.object({
  component_type: returned.text('Which deposit.', 'CAUTION_DEPOSIT'),
  amount: returned.amount(
    'Rupees: an advance of the child where it is given back, held again where that is undone.',
    5000,
  ),
})
