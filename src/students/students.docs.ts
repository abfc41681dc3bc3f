import { Type } from 'typebox'
import type { EndpointDocs } from '../http/openapi.ts'
import { FeeView, RegisteredView, StudentView } from './students.schemas.ts'

/** What the reference says of the student operations. */
const ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'

export const EXAMPLE_STUDENT = {
  service_student_id: ID,
  registration_ids: ['parent-77'],
  status: 'active',
  fullname: 'Kabir Rao',
  identifier: 'ADM-1042',
  collector_code: 'MAIN',
  grade: '5',
  new_admission: false,
  academic_year_start: 2026,
  academic_year_end: 2027,
  date_of_birth: '2015-06-20',
  primary_contact_name: 'Asha Rao',
  primary_contact_number: '+91 98765 43210',
  primary_contact_email: 'asha@example.in',
  fee_summary: { total_fee: 60000, discount: 5000, paid: 20000, outstanding: 35000, advance: 0 },
  created_at: '2026-11-15T04:32:10.000Z',
  updated_at: '2026-11-15T04:32:10.000Z',
}

const EXAMPLE_PRICE = { fee_amount: 60000, discounts: [{ discount_type: 'SCHOLARSHIP', value: 5000 }] }

const EXAMPLE_FEES = {
  service_student_id: ID,
  fee_summary: EXAMPLE_STUDENT.fee_summary,
  fee_components: [
    {
      component_type: 'TUITION_FEE',
      ...EXAMPLE_PRICE,
      paid: 20000,
      outstanding: 35000,
      advance: 0,
      history: [{ changed_at: '2026-11-15T04:32:10.000Z', source: 'registration', after: EXAMPLE_PRICE }],
    },
  ],
}

const registeredAnswer = (description: string) => ({
  description,
  data: RegisteredView,
  example: { status: 'success', data: { service_student_id: ID } },
})

export const registerDocs: EndpointDocs = {
  operationId: 'registerStudent',
  tag: 'Students',
  summary: 'Register a student',
  description:
    'Under a user, with fees and earlier payments. Safe to repeat: the same student (branch, identifier, grade and ' +
    'academic year) answers 200 with its id. The body applied last changes nothing when it comes again, also after ' +
    'Update Fee; another body brings the profile up to date, its fees merge as in Update Fee, and payments with a new ' +
    'transaction_id are added. Under another registration_id that user is linked too. A known transaction_id with another amount, or another fullname ' +
    'together with another date_of_birth, is 409 with the existing service_student_id.',
  answers: {
    200: registeredAnswer('The student was registered before.'),
    201: registeredAnswer('The student is new.'),
  },
  exampleBody: {
    student: {
      fullname: 'Kabir Rao',
      identifier: 'ADM-1042',
      grade: '5',
      new_admission: false,
      academic_year_start: '2026',
      academic_year_end: '2027',
      date_of_birth: '2015-06-20',
      primary_contact_name: 'Asha Rao',
      primary_contact_number: '+91 98765 43210',
      primary_contact_email: 'asha@example.in',
    },
    fee_components: [{ component_type: 'TUITION_FEE', ...EXAMPLE_PRICE }],
    payments: [
      {
        amount: 20000,
        paid_at: '2026-06-05T10:15:00+05:30',
        mode: 'cash',
        transaction_id: 'CASH-2026-0001',
        fee_components: [{ component_type: 'TUITION_FEE', amount: 20000 }],
      },
    ],
  },
}

export const updateFeeDocs: EndpointDocs = {
  operationId: 'updateFee',
  tag: 'Students',
  summary: 'Update the fees of a student',
  description:
    'A component sent is set, one not sent stays. Discounts sent replace those of their component; omitted ones stay, ' +
    'capped at the new fee. A fee_amount of 0 keeps the component at 0 and ends its discounts.',
  errors: [404],
  answers: { 200: { description: 'Updated.', example: { status: 'success' } } },
  exampleBody: { fee_components: [{ component_type: 'TUITION_FEE', ...EXAMPLE_PRICE }] },
}

export const getStudentDocs: EndpointDocs = {
  operationId: 'getStudent',
  tag: 'Students',
  summary: 'Get a student',
  description: 'Profile and fee summary.',
  errors: [404],
  answers: {
    200: {
      description: 'The student.',
      data: StudentView,
      example: { status: 'success', data: EXAMPLE_STUDENT },
    },
  },
}

export const listStudentsDocs: EndpointDocs = {
  operationId: 'listStudents',
  tag: 'Students',
  summary: 'List students',
  description: 'Newest first. Filters add up.',
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(StudentView),
      isList: true,
      example: { status: 'success', data: [EXAMPLE_STUDENT], has_more: false },
    },
  },
}

export const getFeeDocs: EndpointDocs = {
  operationId: 'getFee',
  tag: 'Students',
  summary: 'Get the fees of a student',
  description: 'Components with their balance and the 100 newest changes of each, newest first.',
  errors: [404],
  answers: {
    200: { description: 'The fees.', data: FeeView, example: { status: 'success', data: EXAMPLE_FEES } },
  },
}
