import { field, input, optional, query } from '../../http/wire/input.ts'
import { KINDS, PERIODS, SOURCES } from './register.rules.ts'

export const registerFilters = query({
  captured_from: optional(field.rangeStart('Paid from this day on.')).as('from'),
  captured_to: optional(field.rangeEnd('Paid up to the end of this day.')).as('before'),
  kind: optional(field.oneOf(KINDS, 'What came, or what went back.')),
  source: optional(field.oneOf(SOURCES, 'How it came.')),
  component_type: optional(field.code('Only with this component in it.', 'TUITION_FEE')).as('component'),
  settled: optional(field.oneOf(['yes', 'no'], 'Whether it has reached the bank.')),
})

export const registerQuery = query({
  ...registerFilters.fields,
  limit: field.pageSize(),
  cursor: field.cursor('pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

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
