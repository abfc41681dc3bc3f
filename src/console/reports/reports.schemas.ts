import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { amount, branch, count, format, maybe, paging, signedAmount, text } from '../money/fields.schemas.ts'
import { DEFAULTER_BUCKETS, GROUPINGS } from './dues.rules.ts'
import { PERIODS, SOURCES } from './register.rules.ts'

const component = text('The component.', 'TUITION_FEE')

const registerFilters = {
  captured_from: Type.Optional(field.rangeStart({ description: 'Paid from this day on.' })),
  captured_to: Type.Optional(field.rangeEnd({ description: 'Paid up to the end of this day.' })),
  kind: Type.Optional(
    field.oneOf(['payment', 'refund'] as const, { description: 'What came, or what went back.' }),
  ),
  source: Type.Optional(field.oneOf(SOURCES, { description: 'How it came.' })),
  component_type: Type.Optional(
    field.code({ description: 'Only with this component in it.', examples: ['TUITION_FEE'] }),
  ),
  settled: Type.Optional(
    field.oneOf(['yes', 'no'] as const, { description: 'Whether it has reached the bank.' }),
  ),
}

export const RegisterQuery = Type.Object({ ...registerFilters, ...paging })
export const RegisterExportQuery = Type.Object({ ...registerFilters, format })

export const RegisterView = Type.Object({
  id: text('Id of the payment or refund.'),
  kind: shown.oneOf(['payment', 'refund'] as const, { description: 'What came, or what went back.' }),
  source: shown.oneOf(SOURCES, { description: 'How it came.' }),
  mode: text('How it was paid.', 'upi'),
  at: shown.moment({ description: 'When, UTC.' }),
  amount: signedAmount('In rupees; what went back is negative.'),
  payer: text('Who paid.', 'Asha Rao'),
  student_name: maybe('For whom.', 'Kabir Rao'),
  identifier: maybe("The student's identifier.", 'ADM-1042'),
  service_student_id: maybe('The student, if registered here.'),
  components: Type.Array(Type.Object({ component_type: component, amount: amount('In rupees.') }), {
    description: 'What it was for.',
  }),
  reference: maybe("The bank's reference, or the one given at the counter."),
  receipt_number: maybe('Its receipt, unless cancelled.', '2026-27/000042'),
  order_id: maybe('The order that it paid.'),
  settlement_id: maybe('The settlement that it is in.'),
  utr: maybe("The bank's reference of the settlement."),
})

const collectionFilters = {
  from: Type.Optional(
    field.day({ description: 'First day; the first of the month of the last one if absent.' }),
  ),
  to: Type.Optional(field.day({ description: 'Last day; today if absent.' })),
  by: Type.Optional(field.oneOf(PERIODS, { description: 'A row a day, or a month; a day if absent.' })),
}

export const CollectionQuery = Type.Object(collectionFilters)
export const CollectionExportQuery = Type.Object({ ...collectionFilters, format })

const sums = {
  online: amount('Paid online, in rupees.'),
  flex: amount('By instalment plans, in rupees.'),
  direct: amount('At the counter or to the bank, in rupees.'),
  cred: amount('By lenders, in rupees.'),
  collected: amount('All of these, in rupees.'),
  given_back: amount('Refunds, and debits that banks took back, in rupees.'),
  net: signedAmount('Collected less given back, in rupees.'),
}

export const CollectionView = Type.Object({
  from: shown.day({ description: 'First day.' }),
  to: shown.day({ description: 'Last day.' }),
  by: shown.oneOf(PERIODS, { description: 'What a row is of.' }),
  rows: Type.Array(
    Type.Object({
      period: shown.day({ description: 'The day, or the first of the month.' }),
      component_type: component,
      ...sums,
    }),
    { description: 'The newest first.' },
  ),
  components: Type.Array(Type.Object({ component_type: component, ...sums }), {
    description: 'By component.',
  }),
  totals: Type.Object(sums),
})

const duesFilters = {
  grade: Type.Optional(field.code({ description: 'Only of this grade.', examples: ['5'] })),
  collector_code: branch,
  academic_year_start: Type.Optional(field.year({ description: 'Only of the year that begins then.' })),
}

const ageingFilters = {
  by: Type.Optional(field.oneOf(GROUPINGS, { description: 'What a row is of; components if absent.' })),
  ...duesFilters,
}

export const AgeingQuery = Type.Object(ageingFilters)
export const AgeingExportQuery = Type.Object({ ...ageingFilters, format })

const ageing = {
  students: count('How many students owe it.'),
  total: amount('All that is owed, in rupees.'),
  not_due: amount('Due today or later, in rupees.'),
  days_0_30: amount('Up to 30 days late, in rupees.'),
  days_31_60: amount('31 to 60 days late, in rupees.'),
  days_61_90: amount('61 to 90 days late, in rupees.'),
  days_over_90: amount('More than 90 days late, in rupees.'),
  no_due_day: amount('Without a due day, in rupees.'),
}

export const AgeingView = Type.Object({
  today: shown.day({ description: 'The day that it is of.' }),
  by: shown.oneOf(GROUPINGS, { description: 'What a row is of.' }),
  groups: Type.Array(Type.Object({ key: text('The component, grade or branch.', 'TUITION_FEE'), ...ageing })),
  total: Type.Object(ageing),
})

const defaulterFilters = {
  bucket: Type.Optional(
    field.oneOf(DEFAULTER_BUCKETS, { description: 'How late; everybody who is late if absent.' }),
  ),
  ...duesFilters,
}

export const DefaultersQuery = Type.Object({ ...defaulterFilters, ...paging })
export const DefaultersExportQuery = Type.Object({ ...defaulterFilters, format })

export const DefaulterView = Type.Object({
  service_student_id: text('Id of the student.'),
  fullname: text('The student.', 'Kabir Rao'),
  identifier: text("The student's identifier.", 'ADM-1042'),
  grade: text('The grade.', '5'),
  collector_code: text('The branch.', 'MAIN'),
  contact_name: text('Whom to speak to.', 'Asha Rao'),
  contact_number: text('Their phone.', '9876543210'),
  contact_email: text('Their e-mail.', 'asha@example.in'),
  owed: amount('As late as was asked for, in rupees.'),
  owed_in_all: amount('All that is owed, due or not, in rupees.'),
  oldest_due_on: Type.Optional(shown.day({ description: 'Since when the oldest of it is due.' })),
  days_late: Type.Optional(count('Days since then.')),
  last_paid_at: Type.Optional(shown.moment({ description: 'When something was last paid, UTC.' })),
  last_paid: Type.Optional(amount('How much that was, in rupees.')),
  has_plan: shown.flag({ description: 'Whether an instalment plan is running.' }),
})

export const TallyLedgerView = Type.Object({
  subject: text('What it is: an account of ours, or `component:` and a component.', 'clearing'),
  ledger: text('What it is called in Tally.', 'HDFC Bank A/c'),
  usual: text('What it is called unless changed.', 'Payment Gateway'),
  group: text('The group that it is made in.', 'Bank Accounts'),
})

export const TallyFileQuery = Type.Object({
  format: field.oneOf(['tally'] as const, { description: 'The kind of file.' }),
})

export const TallyLedgersBody = Type.Object({
  ledgers: Type.Array(
    Type.Object({
      subject: field.text({ description: 'As listed.', examples: ['clearing'] }, 80),
      ledger: field.text({ description: 'The name of the ledger in Tally.', examples: ['HDFC Gateway'] }, 99),
    }),
    { description: 'Those not named are called as usual.', maxItems: 1000 },
  ),
  reason: field.text({ description: 'Why.', examples: ['As in our books'] }),
})

export type RegisterAnswer = Static<typeof RegisterView>
export type CollectionAnswer = Static<typeof CollectionView>
export type AgeingAnswer = Static<typeof AgeingView>
export type DefaulterAnswer = Static<typeof DefaulterView>
export type TallyLedgerAnswer = Static<typeof TallyLedgerView>
