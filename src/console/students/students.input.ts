import { payDuesInput, waiverInput } from '../../dues/dues.schemas.ts'
import { LINK_SCOPES } from '../../dues/due-links.rules.ts'
import { planParams } from '../../flex/plans/plan.schemas.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { SEND_CHANNELS } from '../../orders/link-messages.texts.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { directPaymentFields, instrument } from '../../students/direct-payments/direct-payment.schemas.ts'
import { discountFields, profileInput, studentParams } from '../../students/student.input.ts'
import { MOST_AT_ONCE } from '../lists/bulk.rules.ts'
import { STATUSES, TIMELINE_KINDS } from './students.rules.ts'

/** What the console's routes of students take: the API's own fields, and a reason for the audit log. */
export const certificateQuery = query({
  financial_year: optional(field.code('1 April to 31 March; the present one if absent.', '2026-27')).as(
    'year',
  ),
})

export const planOfStudentParams = input({ ...studentParams.fields, ...planParams.fields })

export const timelineQuery = query({
  kind: optional(field.oneOf(TIMELINE_KINDS, 'Only what stands in this log.')),
  limit: field.pageSize(),
  cursor: field.cursor('1794717130000.evt_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const reason = field.text('Why; stands in the audit log.', 'Paid at the counter')

/** Taking money needs no reason; taking it back does. */
export const recordInput = input({
  ...directPaymentFields,
  reason: optional(reason),
  shown_owed_amount: optional(
    field.amount(
      'Fees owed, without late fees, as the form showed them; refused if it is less by now.',
      24000,
    ),
  ).as('shownPaise'),
  waive_late_fee_reason: optional(
    field.text('Why a late fee that is due is not taken, where paying its fee would end it.', 'Bank holiday'),
  ).as('waiveReason'),
  instrument,
})

export const reasonInput = input({ reason })

export const profileChangeInput = input({ ...profileInput.fields, reason })

export const concessionInput = input({
  component_type: field.code('A fee of the student.', 'TUITION_FEE'),
  discount_type: discountFields.discount_type,
  amount: field.amount('Rupees taken off in all by this kind; 0 ends it.', 5000),
  reason,
})

export const lateFeeWaiverInput = input({ ...waiverInput.fields, reason })

export const statusInput = input({
  status: field.oneOf(STATUSES, 'As it is from now on.', 'dropped'),
  reason,
})

export const orderInput = input({ amount: payDuesInput.fields.amount })

export const advanceInput = input({
  amount: optional(field.positiveAmount('All of the advance, or of what it can pay, when absent.', 500)).as(
    'amountPaise',
  ),
  component_type: optional(
    field.code('The fee that it pays; when absent, as the rule of allocation says.', 'TRANSPORT_FEE'),
  ),
  reason,
})

export const advanceRefundInput = input({
  amount: optional(field.positiveAmount('All of the advance that was paid online when absent.', 500)).as(
    'amountPaise',
  ),
  reason,
})

const student_ids = field.list(
  'For which students.',
  field.resourceId('A student.', studentParams.example['service_student_id'] as string),
  { min: 1, max: MOST_AT_ONCE },
)

export const manyStudentsInput = input({ student_ids })

export const linksInput = input({
  student_ids,
  scope: field.oneOf(LINK_SCOPES, 'What is overdue, what is due by a day, or all of the year.'),
  until: optional(field.day('By which day, with due_by.', '2026-12-31')),
  channels: optional(
    field.choices('How families are told; absent: nobody is.', field.oneOf(SEND_CHANNELS, 'E-mail or SMS.')),
    [],
  ),
  language: optional(field.oneOf(LANGUAGES, "The family's own when absent.")),
})
