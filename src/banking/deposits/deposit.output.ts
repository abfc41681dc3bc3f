import { outputOf } from '../../http/wire/output.ts'
import type { Paise } from '../../platform/money.ts'
import type { Counted } from './denominations.rules.ts'

const counted = outputOf<Counted>()
export const countedOutput = counted.object({
  value: counted.integer('Rupees.', 500),
  count: counted.integer('How many.', 24),
})

const cash = outputOf<{ amountPaise: Paise }>()
/** Less than 0 when more was deposited than was taken here. */
export const cashInHandOutput = cash.object({
  amount: cash.signedAmount('Cash taken at the counter and not deposited, rupees.', 21500),
})
