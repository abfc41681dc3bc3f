import { field, input, optional, query } from '../../http/wire/input.ts'
import { PERIODS } from './register.rules.ts'

export const collectionQuery = query({
  from: optional(field.day('First day; the first of the month of the last one if absent.', '2026-11-01')),
  to: optional(field.day('Last day; today if absent.', '2026-11-15')),
  by: optional(field.oneOf(PERIODS, 'A row a day, or a month; a day if absent.'), 'day'),
})

export const tallyFileQuery = query({ format: field.oneOf(['tally'], 'The kind of file.') })

const ledger = input({
  subject: field.text('As listed.', 'clearing', 80),
  ledger: field.text('The name of the ledger in Tally.', 'HDFC Gateway', 99),
})

export const tallyLedgersInput = input({
  ledgers: field.list('Those not named are called as usual.', ledger, { max: 1000 }),
  reason: field.text('Why.', 'As in our books'),
})
