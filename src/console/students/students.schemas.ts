import { Type, type Static } from 'typebox'
import { duesOutput, lateFeeEntryOutput, studentPaymentOutput } from '../../dues/dues.output.ts'
import { planHistoryOutput, planOutput } from '../../flex/plans/plan.output.ts'
import { field, shown } from '../../http/wire/fields.ts'
import { field as inputField, input } from '../../http/wire/input.ts'
import { directPaymentFields } from '../../students/direct-payments/direct-payment.input.ts'
import { directPaymentOutput } from '../../students/direct-payments/direct-payment.output.ts'

/** What the console's routes of students take and answer. */
export const StudentParams = Type.Object({
  service_student_id: field.resourceId({
    description: 'Id of the student.',
    examples: ['student_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

const STATUSES = ['active', 'dropped'] as const

export const StudentsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Beginnings of words: name, admission number, phone or e-mail of the student or of whoever pays for it.',
      minLength: 2,
      maxLength: 100,
      examples: ['kabir ra'],
    }),
  ),
  collector_code: Type.Optional(field.code({ description: 'Only of this branch.', examples: ['MAIN'] })),
  grade: Type.Optional(field.code({ description: 'Only of this grade.', examples: ['5'] })),
  status: Type.Optional(field.oneOf(STATUSES, { description: 'Only in this state.' })),
  owing: Type.Optional(
    field.oneOf(['yes', 'no'], {
      description:
        'Only who owes something, or nothing. A page may then be short, and still say that there are more.',
    }),
  ),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

const who = {
  service_student_id: shown.text({ description: 'Id of the student.' }),
  fullname: shown.text({ description: 'Full name.', examples: ['Kabir Rao'] }),
  identifier: shown.text({ description: 'Admission number.', examples: ['ADM-1042'] }),
  custom_identifier: Type.Optional(
    shown.text({ description: 'A second one; present only if there is one.' }),
  ),
  collector_code: shown.text({ description: 'Branch code.' }),
  grade: shown.text({ description: 'Grade code.' }),
  grade_name: shown.text({ description: 'Its name.' }),
  academic_year_start: shown.year({ description: 'Start year.' }),
  academic_year_end: shown.year({ description: 'End year.' }),
  status: shown.oneOf(STATUSES, { description: 'A dropped one has left the school.' }),
  primary_contact_name: shown.text({ description: 'Name of the primary contact.' }),
  primary_contact_number: shown.text({ description: 'Its phone number.' }),
  primary_contact_email: shown.text({ description: 'Its e-mail address.' }),
}

export const StudentRowView = Type.Object({
  ...who,
  paid_amount: shown.amount({ description: 'Paid in all, rupees.' }),
  outstanding_amount: shown.amount({ description: 'Left to pay of the fees, without late fees, rupees.' }),
})

const code = Type.Object({
  code: shown.text({ description: 'Code.' }),
  name: shown.text({ description: 'Name.' }),
})

export const ChoicesView = Type.Object({
  branches: Type.Array(code, { description: 'Branches.' }),
  grades: Type.Array(code, { description: 'Grades of the catalogue.' }),
  components: Type.Array(code, { description: 'Fee components of the catalogue.' }),
  discounts: Type.Array(code, { description: 'Discounts of the catalogue.' }),
})

export const StudentPageView = Type.Object({
  ...who,
  new_admission: shown.flag({ description: 'New admission or not.' }),
  date_of_birth: Type.Optional(shown.day({ description: 'Present only if known.' })),
  created_at: shown.moment({ description: 'Registered here, UTC.' }),
  updated_at: shown.moment({ description: 'Last changed, UTC.' }),
  users: Type.Array(
    Type.Object({
      registration_id: shown.text({ description: "The ERP's id of the user." }),
      name: shown.text({ description: 'Name.' }),
      phone: shown.text({ description: 'Phone.' }),
      email: shown.text({ description: 'E-mail.' }),
    }),
    { description: 'Who pays for the student.' },
  ),
  siblings: Type.Array(
    Type.Object({
      service_student_id: who.service_student_id,
      fullname: who.fullname,
      identifier: who.identifier,
      grade_name: who.grade_name,
      status: who.status,
      total_amount: shown.amount({ description: 'Due now, late fees included, rupees.' }),
    }),
    { description: 'The other students of the same users; at most 20.' },
  ),
  dues: duesOutput.schema,
  discounts: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'Of which fee.' }),
      discount_type: shown.text({ description: 'Kind of discount.' }),
      amount: shown.amount({ description: 'Rupees taken off.' }),
    }),
    { description: 'Concessions that are in the dues.' },
  ),
  late_fee_entries: Type.Array(lateFeeEntryOutput.schema, {
    description: 'Late fees paid or let off, newest first.',
  }),
  open_orders: Type.Array(
    Type.Object({
      order_id: shown.text({ description: 'Id of the order.' }),
      amount: shown.amount({ description: 'Rupees.' }),
      redirect_url: shown.text({ description: 'The page on which it is paid.' }),
      created_at: shown.moment({ description: 'Made, UTC.' }),
    }),
    { description: 'Orders for the dues that can still be paid.' },
  ),
  has_erp: shown.flag({ description: 'Whether there is an ERP to ask.' }),
})

export const PaymentsView = Type.Object({
  online: Type.Array(studentPaymentOutput.schema, {
    description: 'Paid through here, newest first; at most 200.',
  }),
  direct: Type.Array(directPaymentOutput.schema, {
    description: 'Taken by the institute, newest first; at most 200.',
  }),
})

export const PlansView = Type.Array(planOutput.schema)
export const WholePlanView = planHistoryOutput.schema

export const PlanParams = Type.Object({
  ...StudentParams.properties,
  plan_id: field.resourceId({
    description: 'Id of the plan.',
    examples: ['plan_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const TimelineQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const TimelineEntryView = Type.Object({
  id: shown.text({ description: 'Id of the entry.' }),
  at: shown.moment({ description: 'When, UTC.' }),
  kind: shown.oneOf(['event', 'act', 'fetch', 'profile', 'fee', 'waiver'], {
    description:
      'Which log it is from: events, acts of people, fetches from the ERP, the profile, fees, late fees let off.',
  }),
  what: shown.text({
    description:
      "The event's code, what was done, the outcome, what changed the profile, the component or the late fee.",
  }),
  by: Type.Optional(shown.text({ description: 'Who did it, if somebody did.' })),
  why: Type.Optional(shown.text({ description: 'Why, if somebody said so.' })),
  raw: Type.Unsafe<unknown>({ description: 'All that is known of it.', examples: [{}] }),
})

const reason = field.text({ description: 'Why; stands in the audit log.', examples: ['Paid at the counter'] })

export const FetchedView = Type.Object({
  outcome: shown.oneOf(['found', 'refused', 'unavailable'], { description: 'What came of it.' }),
  code: Type.Optional(shown.text({ description: "The ERP's code, or the kind of trouble." })),
  message: Type.Optional(shown.text({ description: "The ERP's words, or what is to be mended." })),
  problems: Type.Array(
    Type.Object({
      key: shown.text({ description: "Dotted path in the ERP's answer." }),
      message: shown.text({ description: 'What is wrong there.' }),
    }),
    { description: "What is wrong with the ERP's answer." },
  ),
  changes: Type.Array(
    Type.Object({
      field: shown.text({ description: 'Such as `grade`, or `fee_components.TUITION_FEE.fee_amount`.' }),
      before: Type.Optional(Type.Unsafe<string | number | boolean>({ description: 'Absent: nothing.' })),
      after: Type.Optional(Type.Unsafe<string | number | boolean>({ description: 'As the ERP has it.' })),
    }),
    { description: 'What it changed of the student; none when the ERP says what was known.' },
  ),
})

export const recordInput = input({
  ...directPaymentFields,
  reason: inputField.text('Why; stands in the audit log.', 'Paid at the counter'),
})

export const CancelParams = Type.Object({
  ...StudentParams.properties,
  transaction_id: field.identifier({
    description: 'The transaction id of the payment, percent-encoded.',
    examples: ['CASH-2026-0001'],
  }),
})

export const ReasonBody = Type.Object({ reason })

export const ConcessionBody = Type.Object({
  component_type: field.code({ description: 'A fee of the student.', examples: ['TUITION_FEE'] }),
  discount_type: field.code({ description: 'Kind of discount.', examples: ['SCHOLARSHIP'] }),
  amount: field.amount({ description: 'Rupees taken off in all by this kind; 0 ends it.', examples: [5000] }),
  reason,
})

export const WaiverBody = Type.Object({
  late_fee_id: Type.Optional(
    field.resourceId({ description: 'Which late fee; all that are due when absent.' }),
  ),
  amount: Type.Optional(field.positiveAmount({ description: 'Rupees; all of it when absent.' })),
  reason,
})

export const StatusBody = Type.Object({
  status: field.oneOf(STATUSES, { description: 'As it is from now on.', examples: ['dropped'] }),
  reason,
})

export const OrderBody = Type.Object({
  amount: Type.Optional(field.positiveAmount({ description: 'Rupees; all that is due when absent.' })),
})

export const OrderedView = Type.Object({
  order_id: shown.text({ description: 'Id of the order.' }),
  redirect_url: shown.text({ description: 'The page on which it is paid; send it to the parent.' }),
})

export type StudentRowAnswer = Static<typeof StudentRowView>
export type ChoicesAnswer = Static<typeof ChoicesView>
export type StudentPageAnswer = Static<typeof StudentPageView>
export type PaymentsAnswer = Static<typeof PaymentsView>
export type PlansAnswer = Static<typeof PlansView>
export type PlanAnswer = Static<typeof WholePlanView>
export type TimelineEntryAnswer = Static<typeof TimelineEntryView>
export type FetchedAnswer = Static<typeof FetchedView>
export type OrderedAnswer = Static<typeof OrderedView>
