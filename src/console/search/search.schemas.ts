import { Type, type Static } from 'typebox'
import { shown } from '../../http/wire/fields.ts'
import { SHORTEST_SEARCH } from './search.rules.ts'

export const SearchQuery = Type.Object({
  q: Type.String({
    description:
      'Beginnings of words for students; ids, admission numbers, receipt numbers, bank references and UTRs for the rest.',
    minLength: SHORTEST_SEARCH,
    maxLength: 100,
    examples: ['kabir'],
  }),
})

const amount = shown.amount({ description: 'Rupees.' })
const studentId = shown.text({ description: 'Id of the student.' })
const orderId = shown.text({ description: 'Id of the order.' })

export const SearchView = Type.Object({
  students: Type.Array(
    Type.Object({
      service_student_id: studentId,
      fullname: shown.text({ description: 'Full name.' }),
      identifier: shown.text({ description: 'Admission number.' }),
      grade: shown.text({ description: 'Grade code.' }),
      status: shown.oneOf(['active', 'dropped'], { description: 'Whether it is at school.' }),
    }),
    { description: 'By name.' },
  ),
  orders: Type.Array(
    Type.Object({
      order_id: orderId,
      kind: shown.text({ description: 'Such as order, link or student.' }),
      status: shown.text({ description: 'Where it stands now.' }),
      name: shown.text({ description: 'The student, or whoever pays.' }),
      amount,
      created_at: shown.moment({ description: 'Made, UTC.' }),
    }),
    { description: 'Orders and links, newest first.' },
  ),
  plans: Type.Array(
    Type.Object({
      plan_id: shown.text({ description: 'Id of the plan.' }),
      service_student_id: studentId,
      fullname: shown.text({ description: 'Whose it is.' }),
      status: shown.text({ description: 'Where it stands.' }),
    }),
    { description: 'Instalment plans.' },
  ),
  payments: Type.Array(
    Type.Object({
      payment_id: shown.text({ description: 'Id of the payment.' }),
      kind: shown.oneOf(['online', 'direct'], { description: 'Through here, or taken by the institute.' }),
      status: shown.text({ description: 'Where it stands.' }),
      transaction_id: Type.Optional(shown.text({ description: "The bank's or the counter's reference." })),
      amount,
      at: shown.moment({ description: 'When, UTC.' }),
      order_id: Type.Optional(orderId),
      service_student_id: Type.Optional(studentId),
    }),
    { description: 'Payments.' },
  ),
  utrs: Type.Array(
    Type.Object({
      id: shown.text({ description: 'Id of what it stands on.' }),
      kind: shown.oneOf(['settlement', 'refund', 'direct'], {
        description: 'Paid out to the institute, given back, or paid to its account.',
      }),
      utr: shown.text({ description: 'The reference.' }),
      amount: Type.Number({ description: 'Rupees; less than 0 where more was given back than came in.' }),
      at: Type.Optional(shown.moment({ description: 'When, UTC.' })),
      order_id: Type.Optional(orderId),
      service_student_id: Type.Optional(studentId),
    }),
    { description: 'Bank references.' },
  ),
  requests: Type.Array(
    Type.Object({
      request_id: shown.text({ description: 'Id of the request.' }),
      what: shown.text({ description: 'What it did.' }),
      about: shown.text({ description: 'To what.' }),
      by: shown.text({ description: 'Who.' }),
      at: shown.moment({ description: 'When, UTC.' }),
    }),
    { description: 'Acts of people, for those who may read the audit log.' },
  ),
  erp_requests: Type.Array(
    Type.Object({
      request_id: shown.text({ description: 'Id of the request.' }),
      method: shown.text({ description: 'Such as POST.' }),
      route: shown.text({ description: 'The pattern of its address.' }),
      status: Type.Integer({ description: 'What it was answered with.' }),
      at: shown.moment({ description: 'When, in real time, UTC.' }),
    }),
    { description: 'What the ERP asked within the last week.' },
  ),
})

export type SearchAnswer = Static<typeof SearchView>
