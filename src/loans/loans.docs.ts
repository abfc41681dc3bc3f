import { Type } from 'typebox'
import type { EndpointDocs } from '../http/openapi/openapi.ts'
import { disbursementOutput } from './loan.output.ts'
import { ApplicationView, CreatedView, WholeApplicationView } from './loans.schemas.ts'

/** What the reference says of the operations of Cred. */
const ID = 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'

const EXAMPLE = {
  application_id: ID,
  service_student_id: 'student_01k9zq4m0ve8sbn6yt2hw3c5da',
  status: 'started',
  amount: 60000,
  requested_amount: 60000,
  lender: 'Sandbox Lender',
  redirect_url: `https://pay.example.in/cred/demo-school/${ID}`,
  created_at: '2026-11-15T04:32:10.000Z',
  expires_at: '2026-12-15T04:32:10.000Z',
}

const DISBURSEMENT = {
  id: 'disb_01k9zq4m0ve8sbn6yt2hw3c5da',
  date: '2026-11-20',
  amount: 60000,
  disbursed_amount: 60000,
  is_disbursed: true,
  settlement_utr: 'SBX1F4C9A7D20B35',
  status: 'disbursed',
  payment_id: 'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
}

const { expires_at: _lapses, ...TAKEN } = EXAMPLE

export const WHOLE_EXAMPLE = {
  ...TAKEN,
  status: 'disbursed',
  filled_at: '2026-11-15T04:40:00.000Z',
  approved_at: '2026-11-17T06:00:00.000Z',
  agreement_signed_at: '2026-11-18T09:15:00.000Z',
  ended_at: '2026-11-21T05:30:00.000Z',
  disbursements: [DISBURSEMENT],
  emis: [
    {
      id: 'pay_01k9zq4m0ve8sbn6yt2hw3c5db',
      due_date: '2026-12-20',
      paid_at: '2026-12-20T03:30:00.000Z',
      amount: 5330.93,
    },
  ],
}

const answer = (description: string, example: object = EXAMPLE) => ({
  description,
  data: ApplicationView,
  example: { status: 'success', data: example },
})

const list = (description: string) => ({
  description,
  data: Type.Array(ApplicationView, { description: 'Newest first.' }),
  example: { status: 'success', data: [EXAMPLE], has_more: false },
  isList: true,
})

export const createDocs: EndpointDocs = {
  operationId: 'createApplication',
  tag: 'Cred',
  summary: 'Start a loan application',
  description:
    'For what the student owes, or a part of it. Send the parent to `redirect_url`: the page says what a loan is and leads on ' +
    'to the lender, which hears nothing of the family before the parent goes on. A student has one application at a time: 409 ' +
    'while another is not over, and `data.application_id` names it; 409 too when nothing is outstanding or the student is dropped.',
  errors: [404],
  exampleBody: { amount: 60000 },
  answers: {
    201: {
      description: 'Started.',
      data: CreatedView,
      example: {
        status: 'success',
        data: { application_id: ID, redirect_url: EXAMPLE.redirect_url },
      },
    },
  },
}

export const listOfStudentDocs: EndpointDocs = {
  operationId: 'listStudentApplications',
  tag: 'Cred',
  summary: "List a student's applications",
  description: 'Newest first.',
  errors: [404],
  answers: { 200: list('The applications.') },
}

export const listDocs: EndpointDocs = {
  operationId: 'listApplications',
  tag: 'Cred',
  summary: 'List loan applications',
  description: 'Newest first.',
  answers: { 200: list('The applications.') },
}

export const getDocs: EndpointDocs = {
  operationId: 'getApplication',
  tag: 'Cred',
  summary: 'Get a loan application',
  description: 'With the tranches of the loan and the EMIs that the borrower has paid to the lender.',
  errors: [404],
  answers: {
    200: {
      description: 'The application.',
      data: WholeApplicationView,
      example: { status: 'success', data: WHOLE_EXAMPLE },
    },
  },
}

export const cancelDocs: EndpointDocs = {
  operationId: 'cancelApplication',
  tag: 'Cred',
  summary: 'Cancel a loan application',
  description:
    'Until the agreement is signed; the lender is told, and the student can have a new one. 409 when it is signed or over.',
  errors: [404],
  answers: {
    200: answer('Canceled.', { ...TAKEN, status: 'canceled', ended_at: '2026-11-16T08:00:00.000Z' }),
  },
}

export const disbursementsDocs: EndpointDocs = {
  operationId: 'listDisbursements',
  tag: 'Cred',
  summary: 'List the disbursements of a loan',
  description:
    'The tranches, planned and made, in the order of their dates. One is disbursed when its money reached the institute, with ' +
    "the settlement's UTR.",
  errors: [404],
  answers: {
    200: {
      description: 'The tranches.',
      data: Type.Array(disbursementOutput.schema, {
        description: 'By date; empty before the agreement is signed.',
      }),
      example: { status: 'success', data: [DISBURSEMENT] },
    },
  },
}
