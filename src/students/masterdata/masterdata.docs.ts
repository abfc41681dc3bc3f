import { Type, type TSchema } from 'typebox'
import type { EndpointDocs } from '../../http/openapi.ts'
import {
  BranchView,
  ComponentView,
  DiscountView,
  GradeView,
  ProfileChangeView,
  UserView,
} from './masterdata.schemas.ts'
import { EXAMPLE_STUDENT } from '../students.docs.ts'
import { StudentView } from '../students.schemas.ts'

/** What the reference says of the master data operations. */
const userAnswer = (description: string) => ({
  description,
  data: UserView,
  example: { status: 'success', data: { registration_id: 'user_01k9zq4m0ve8sbn6yt2hw3c5da' } },
})

export const registerUserDocs: EndpointDocs = {
  operationId: 'registerUser',
  tag: 'Students',
  summary: 'Register a user',
  description:
    'Finds or makes the user with this phone and e-mail. Both are compared as people mean them: a phone by its digits, ' +
    'with or without +91 or a leading 0, an e-mail in any case. When several have them, the oldest is answered. A user ' +
    'who is found stays as it is.',
  answers: { 200: userAnswer('There is such a user.'), 201: userAnswer('The user is new.') },
  exampleBody: { name: 'Asha Rao', phone: '+91 98765 43210', email: 'asha@example.in' },
}

const studentAnswer = (description: string, changes: Partial<typeof EXAMPLE_STUDENT> = {}) => ({
  description,
  data: StudentView,
  example: { status: 'success', data: { ...EXAMPLE_STUDENT, ...changes } },
})

export const changeProfileDocs: EndpointDocs = {
  operationId: 'updateStudent',
  tag: 'Students',
  summary: 'Update the profile of a student',
  description:
    'Fields sent are set, others stay; null or "" clears date_of_birth and custom_identifier and is refused elsewhere. ' +
    'Identifier, grade, academic year and branch can change too: it stays the same student with its fees and payments. ' +
    'When another student has that identity already, it is 409 with the other service_student_id. What it was stays on ' +
    'record: List the changes of a student.',
  errors: [404],
  answers: { 200: studentAnswer('The student as it is now.', { grade: '6' }) },
  exampleBody: { grade: '6', primary_contact_number: '+91 98765 43211' },
}

export const changesDocs: EndpointDocs = {
  operationId: 'listStudentChanges',
  tag: 'Students',
  summary: 'List the changes of a student',
  description:
    'What a repeated registration, an update or an import changed of the profile, newest first: the 100 newest. What a ' +
    'fetch from your ERP changed stands in its log, what was paid and charged in theirs.',
  errors: [404],
  answers: {
    200: {
      description: 'The changes.',
      data: Type.Array(ProfileChangeView),
      example: {
        status: 'success',
        data: [
          {
            changed_at: '2026-11-15T04:32:10.000Z',
            source: 'update',
            changes: [{ field: 'grade', before: '5', after: '6' }],
          },
        ],
      },
    },
  },
}

export const dropDocs: EndpointDocs = {
  operationId: 'dropStudent',
  tag: 'Students',
  summary: 'Mark a student as dropped',
  description:
    'No new Flex plan can be made for a dropped student. A plan that it has is cancelled before its next debit. ' +
    'Dropping it again changes nothing.',
  errors: [404],
  answers: { 200: studentAnswer('The student is dropped.', { status: 'dropped' }) },
}

export const activateDocs: EndpointDocs = {
  operationId: 'activateStudent',
  tag: 'Students',
  summary: 'Make a dropped student active again',
  description: 'Activating an active student changes nothing.',
  errors: [404],
  answers: { 200: studentAnswer('The student is active.') },
}

const listDocs = (
  texts: Pick<EndpointDocs, 'operationId' | 'summary' | 'description'>,
  view: TSchema,
  example: object,
): EndpointDocs => ({
  ...texts,
  tag: 'Students',
  answers: {
    200: {
      description: 'All of them.',
      data: Type.Array(view),
      example: { status: 'success', data: [example] },
    },
  },
})

const SHARED_CODES = 'All branches share the codes of the institute. The whole list, by code.'

export const branchesDocs = listDocs(
  {
    operationId: 'listBranches',
    summary: 'List branches',
    description: 'The branches of the institute, by code.',
  },
  BranchView,
  { collector_code: 'MAIN', name: 'Main branch', is_default: true },
)

export const gradesDocs = listDocs(
  { operationId: 'listGrades', summary: 'List grades', description: SHARED_CODES },
  GradeView,
  { code: '5', name: 'Class 5' },
)

export const componentsDocs = listDocs(
  { operationId: 'listFeeComponents', summary: 'List fee components', description: SHARED_CODES },
  ComponentView,
  { component_type: 'TUITION_FEE', name: 'Tuition fee' },
)

export const discountsDocs = listDocs(
  { operationId: 'listDiscounts', summary: 'List discount types', description: SHARED_CODES },
  DiscountView,
  { discount_type: 'SCHOLARSHIP', name: 'Scholarship' },
)
