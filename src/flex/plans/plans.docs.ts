import type { EndpointDocs } from '../../http/openapi.ts'
import { PlanView, WholePlanView } from './plans.schemas.ts'

/** What the reference says of the operations of Flex. */
const HEAD = {
  plan_id: 'plan_01k9zq4m0ve8sbn6yt2hw3c5da',
  service_student_id: 'student_01k9zq4m0ve8sbn6yt2hw3c5da',
  status: 'draft',
  is_held: false,
  product_name: 'Fee instalments',
  total_amount: 12000,
  paid_amount: 0,
  redirect_url: 'https://pay.example.in/flex/demo-school/plan_01k9zq4m0ve8sbn6yt2hw3c5da',
}

const FIRST = {
  id: 'inst_01k9zq4m0ve8sbn6yt2hw3c5da',
  due_date: '2026-12-05',
  amount: 6000,
  is_downpayment: false,
  status: 'scheduled',
  reference_id: 'INST-1',
  details: [{ component_type: 'TUITION_FEE', amount: 6000 }],
}

const SECOND = {
  ...FIRST,
  id: 'inst_01k9zq4m0ve8sbn6yt2hw3c5db',
  due_date: '2027-01-05',
  reference_id: 'INST-2',
}

const EXAMPLE_PLAN = { ...HEAD, payment_schedule: [FIRST, SECOND] }

const WHOLE_PLAN = {
  ...HEAD,
  status: 'active',
  mandate: {
    id: 'mdt_01k9zq4m0ve8sbn6yt2hw3c5da',
    rail: 'enach',
    status: 'active',
    umrn: 'HDFC0000000012345678',
    max_amount: 7500,
    start_date: '2026-11-15',
    end_date: '2027-04-05',
  },
  payment_schedule: [
    {
      ...FIRST,
      attempt: 1,
      presented_on: '2026-12-05',
      present_on: '2026-12-10',
      return_code: '04',
      attempts: [
        {
          presentation: 1,
          amount: 6000,
          presented_at: '2026-12-05T02:00:00.000Z',
          status: 'bounced',
          return_code: '04',
        },
      ],
    },
    { ...SECOND, attempt: 0, present_on: '2027-01-05', attempts: [] },
  ],
  decisions: [
    {
      at: '2026-12-07T12:30:00.000Z',
      instalment_id: FIRST.id,
      what: 'scheduled',
      why: 'presented again on 2026-12-10',
    },
  ],
}

const answer = (description: string, example: object = EXAMPLE_PLAN) => ({
  description,
  data: PlanView,
  example: { status: 'success', data: example },
})

export const createDocs: EndpointDocs = {
  operationId: 'createPlan',
  tag: 'Flex',
  summary: 'Make an instalment plan',
  description:
    "A draft over everything that the student owes: the schedule you send, or the institute's default plan. Send the payer " +
    'to `redirect_url` to set it up. Sent again before that it replaces the draft under the same id; afterwards it is 409, ' +
    'and `data.plan_id` names the plan in the way.',
  errors: [404],
  exampleBody: {
    payment_schedule: [FIRST, SECOND].map(({ due_date, reference_id, details }) => ({
      due_date,
      reference_id,
      details,
    })),
  },
  answers: { 201: answer('The draft.') },
}

export const getOfStudentDocs: EndpointDocs = {
  operationId: 'getStudentPlan',
  tag: 'Flex',
  summary: "Get a student's plan",
  description: 'The plan that is not over; without one, the newest.',
  errors: [404],
  answers: { 200: answer('The plan.') },
}

export const rescheduleDocs: EndpointDocs = {
  operationId: 'rescheduleInstalment',
  tag: 'Flex',
  summary: 'Move an instalment',
  description:
    'Gives the instalment of that due date another one. A notice that was sent is withdrawn and sent anew. 409 when it is at ' +
    'the bank or over.',
  errors: [404],
  exampleBody: { due_date: '2026-12-05', new_due_date: '2026-12-20' },
  answers: {
    200: answer('Moved.', {
      ...EXAMPLE_PLAN,
      payment_schedule: [{ ...FIRST, due_date: '2026-12-20' }, SECOND],
    }),
  },
}

export const getDocs: EndpointDocs = {
  operationId: 'getPlan',
  tag: 'Flex',
  summary: 'Get a plan',
  description:
    'With its mandate, every attempt at the bank, and what was decided and why: read there why an instalment was skipped or ' +
    'moved.',
  errors: [404],
  answers: {
    200: {
      description: 'The plan.',
      data: WholePlanView,
      example: { status: 'success', data: WHOLE_PLAN },
    },
  },
}

export const cancelDocs: EndpointDocs = {
  operationId: 'cancelPlan',
  tag: 'Flex',
  summary: 'Cancel a plan',
  description:
    'Nothing more is debited, and the student can have a new plan. What is at the bank already goes its way. 409 when it is ' +
    'cancelled or closed.',
  errors: [404],
  answers: {
    200: answer('Cancelled.', {
      ...EXAMPLE_PLAN,
      status: 'cancelled',
      payment_schedule: [FIRST, SECOND].map(one => ({ ...one, status: 'cancelled' })),
    }),
  },
}

export const holdDocs: EndpointDocs = {
  operationId: 'holdPlan',
  tag: 'Flex',
  summary: 'Hold a plan',
  description: 'Instalments wait until it is resumed. 409 when it is not set up, over, or held already.',
  errors: [404],
  answers: { 200: answer('Held.', { ...EXAMPLE_PLAN, status: 'active', is_held: true }) },
}

export const resumeDocs: EndpointDocs = {
  operationId: 'resumePlan',
  tag: 'Flex',
  summary: 'Resume a plan',
  description:
    "Ends a hold, or a lock that the ERP's answer put on it. 409 when there is neither; a plan whose mandate has ended needs a " +
    'new mandate instead.',
  errors: [404],
  answers: { 200: answer('Resumed.', { ...EXAMPLE_PLAN, status: 'active' }) },
}
