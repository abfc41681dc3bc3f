import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { ExpectedSettlement } from './settlements.service.ts'

/** Paid and not yet at the bank. */
const expected = outputOf<ExpectedSettlement>()
export const expectedOutput = expected.object({
  due_on: expected.day('When it should reach the bank.', '2026-11-16'),
  collector_code: expected.text('For which branch.', 'MAIN'),
  payment_count: expected.integer('How many payments.', 2, row => row.payments),
  amount: expected.amount('Before charges, in rupees.', 51500.5),
  is_overdue: expected.flag('Whether that day has passed.', false),
})
export type ExpectedAnswer = Shown<typeof expectedOutput>
