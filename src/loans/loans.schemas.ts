import { Type } from 'typebox'
import { field, shown } from '../http/wire/fields.ts'
import { disbursementOutput, emiOutput } from './loan.output.ts'
import { LOAN_STATES } from './loans.rules.ts'

/** What the routes of Cred take and answer. */
export const StudentParams = Type.Object({
  service_student_id: field.resourceId({
    description: 'The id returned by Register Student.',
    examples: ['student_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const ApplicationParams = Type.Object({
  application_id: field.resourceId({
    description: 'Id of the application.',
    examples: ['loan_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const CreateApplicationBody = Type.Object({
  amount: Type.Optional(
    field.positiveAmount({
      description: 'Rupees, within what is outstanding; all of that when absent.',
      examples: [60000],
    }),
  ),
})

const paging = {
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
}

export const PageQuery = Type.Object(paging)

export const ListApplicationsQuery = Type.Object({
  ...paging,
  status: Type.Optional(field.oneOf(LOAN_STATES, { description: 'Only in this state.' })),
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
  created_from: Type.Optional(
    field.rangeStart({ description: 'Started at or after; a bare day begins at midnight in India.' }),
  ),
  created_to: Type.Optional(
    field.rangeEnd({ description: 'Started before this moment, or up to the end of this day in India.' }),
  ),
})

export const CreatedView = Type.Object({
  application_id: shown.text({ description: 'The id to read it by.' }),
  redirect_url: shown.text({ description: "Send the parent's browser here; it leads on to the lender." }),
})

const head = {
  application_id: shown.text({ description: 'Id of the application.' }),
  service_student_id: shown.text({ description: 'Whose fees the loan pays.' }),
  status: shown.oneOf(LOAN_STATES, {
    description:
      'started until the parent has filled the form in, filled until the lender decides, final_approved until the agreement is ' +
      'signed, agreement_signed while money is to come, disbursed when all of it reached the institute; rejected, canceled ' +
      'and expired are ends.',
  }),
  amount: shown.amount({
    description: 'Rupees: what was asked for, then what the lender approved, then what was signed.',
  }),
  requested_amount: shown.amount({ description: 'Rupees that were asked for.' }),
  lender: shown.text({ description: 'Name of the lender.' }),
  reason: Type.Optional(
    shown.text({ description: 'Why the lender rejected it; can be shown to people. Absent otherwise.' }),
  ),
  redirect_url: shown.text({ description: 'The page on which the parent goes on, and sees how it stands.' }),
  created_at: shown.moment({ description: 'When it was started.' }),
  filled_at: Type.Optional(shown.moment({ description: 'When the form was filled in; absent until then.' })),
  approved_at: Type.Optional(
    shown.moment({ description: "The lender's final approval; absent until then." }),
  ),
  agreement_signed_at: Type.Optional(
    shown.moment({ description: 'When the loan was taken; absent until then.' }),
  ),
  ended_at: Type.Optional(
    shown.moment({
      description: 'When it was rejected, canceled, expired or all disbursed; absent until then.',
    }),
  ),
  expires_at: Type.Optional(
    shown.moment({ description: 'When it lapses unless the agreement is signed; absent once it cannot.' }),
  ),
}

export const ApplicationView = Type.Object(head)

export const WholeApplicationView = Type.Object({
  ...head,
  disbursements: Type.Array(disbursementOutput.schema, {
    description: 'The tranches; none before the agreement.',
  }),
  emis: Type.Array(emiOutput.schema, { description: 'What the borrower has paid back, oldest first.' }),
})
