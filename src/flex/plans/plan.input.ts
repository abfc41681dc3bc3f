import { field, input, optional } from '../../http/wire/input.ts'
import { MAX_COMPONENTS } from '../../fees/fees.rules.ts'

/** What the routes of plans take. */
export const PLAN_ID = 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'
export const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'

export const studentParams = input({
  service_student_id: field.resourceId('The id returned by Register Student.', STUDENT_ID).as('studentId'),
})

export const planParams = input({ plan_id: field.resourceId('Id of the plan.', PLAN_ID) })

const line = input({
  component_type: field.code('A fee component of the student.', 'TUITION_FEE'),
  amount: field.positiveAmount('Rupees, more than 0.', 6000),
})

const row = input({
  due_date: field
    .day('When it is due, YYYY-MM-DD; today or later, and one instalment a day.', '2026-12-05')
    .as('dueOn'),
  reference_id: optional(field.identifier('Your own reference of the instalment.', 'INST-1')),
  identifier: optional(field.identifier('Your own identifier of the instalment.', 'TERM-1')),
  is_downpayment: optional(
    field.flag('Paid online at set-up; at most one. false when absent.', false),
    false,
  ),
  details: field.list('What it takes of which component.', line, { min: 1, max: MAX_COMPONENTS }).as('lines'),
})

const MAX_ROWS = 60

export const planInput = input({
  payment_schedule: optional(
    field.list(
      "The instalments. Together they take exactly what is outstanding, of each component. Absent: the institute's default plan.",
      row,
      { min: 1, max: MAX_ROWS },
    ),
  ).as('rows'),
})

export const rescheduleInput = input({
  due_date: field.day('The due date of the instalment to move.', '2026-12-05').as('dueOn'),
  new_due_date: field
    .day('Its new due date: today or later, and not that of another instalment.', '2026-12-20')
    .as('newDueOn'),
})
