import { countedInput } from '../../banking/deposits/deposit.schemas.ts'
import { DRAWER_ENTRIES } from './counter.store.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'

export const spreadQuery = query({ amount: field.amount('What was handed over, rupees.', 12500) })

export const dayQuery = query({ day: optional(field.day('Today if absent.', '2026-11-16')) })

export const drawerInput = input({
  kind: field.oneOf(DRAWER_ENTRIES, 'Change that is put in, or cash that is given to somebody else.'),
  amount: field.positiveAmount('Rupees.', 2000),
  note: field.text('Where it comes from, or whom it is given to.', 'From the safe'),
})

export const closeInput = input({
  day: field.day('Which day.', '2026-11-16'),
  cashier: field.email('Whose cash.', 'counter@school.example'),
  denominations: field.list('What was counted.', countedInput, { max: 20 }),
  note: optional(field.text('Why it differs from what was taken.', 'Change of ₹10 given twice')),
})
