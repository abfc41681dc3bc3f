import { Type, type Static } from 'typebox'
import { shown } from '../../http/wire/fields.ts'

const count = (description: string) => Type.Integer({ description, minimum: 0 })
const amount = (description: string) => shown.amount({ description, examples: [123456.5] })
const Sum = (what: string) =>
  Type.Object({ amount: amount(`${what}, in rupees.`), count: count(`${what}: how many.`) })

/** Online, by instalment plans, at the counter and from lenders, as in the daily collection. */
const Collected = (what: string) =>
  Type.Object({
    amount: amount(`${what}, however they came, in rupees.`),
    count: count(`${what}: how many.`),
    given_back: amount('What went back in that time, not taken off, in rupees.'),
  })

export const HomeView = Type.Object({
  today: shown.day({ description: 'The day in India that the numbers are of.' }),
  collected_today: Collected('Payments of today'),
  collected_this_month: Collected('Payments since the first of the month'),
  outstanding: Type.Object({
    amount: amount('What active students still owe, in rupees.'),
    students: count('How many students owe something.'),
  }),
  due_next_7_days: Sum('Instalments to be debited from today on, for seven days'),
  returns: Type.Object({
    presented: count('Debits of the last 30 days that have been decided.'),
    bounced: count('Those of them that came back.'),
    bounced_amount: amount('What they would have brought, in rupees.'),
    ratio: Type.Optional(
      Type.Number({ description: 'Bounced by decided, from 0 to 1; absent when none was decided.' }),
    ),
  }),
  settlements: Type.Object({
    expected: Sum('Captured and not yet settled to the bank'),
    next_on: Type.Optional(shown.day({ description: 'When the next of it is expected.' })),
    overdue: Sum('Of that, expected before today'),
    received_this_month: Sum('Settlements of this month, net of fees and refunds'),
  }),
  webhooks: Type.Object({
    active: count('Subscriptions that are on.'),
    failing: count('Those of them whose last deliveries failed.'),
    disabled: count('Those that were switched off because of failures.'),
    given_up: count('Deliveries that were given up, up to 1000.'),
  }),
  erp: Type.Object({
    is_configured: shown.flag({ description: 'Whether there is an ERP to ask.' }),
    found: count('Answers of the last 24 hours that named the student.'),
    refused: count('Answers of the last 24 hours that refused.'),
    unavailable: count('Calls of the last 24 hours without an answer.'),
    last_at: Type.Optional(shown.moment({ description: 'When it was last asked, UTC.' })),
  }),
  daily: Type.Array(
    Type.Object({
      day: shown.day({ description: 'A day in India.' }),
      amount: amount('Collected that day, in rupees.'),
      count: count('How many payments.'),
    }),
    { description: 'The last 30 days, the oldest first.' },
  ),
})

export type HomeAnswer = Static<typeof HomeView>
