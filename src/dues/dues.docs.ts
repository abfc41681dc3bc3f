import { Type } from 'typebox'
import { answer } from '../http/answers.ts'
import type { EndpointDocs } from '../http/openapi.ts'
import { DuesView, EntryView, OrderView, PaidView, RulesView } from './dues.schemas.ts'

/** What the reference says of dues, their rules and how they are paid. */
const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'
const RULE_ID = 'late_01k9zq4m0ve8sbn6yt2hw3c5da'

const RULES = {
  part_payments: true,
  min_amount: 500,
  allocation: 'oldest_due',
  late_fees: [
    {
      id: RULE_ID,
      component_type: 'TUITION_FEE',
      due_date: '2026-12-10',
      grace_days: 5,
      kind: 'per_day',
      amount_per_day: 50,
      max_amount: 1500,
    },
  ],
}

export const getRulesDocs: EndpointDocs = {
  operationId: 'getPaymentRules',
  tag: 'Students',
  summary: 'Get payment rules',
  description: 'How parents may pay what is due: parts, how a part is spread, due days and late fees.',
  answers: { 200: answer('The rules.', { schema: RulesView, example: RULES }) },
}

export const setRulesDocs: EndpointDocs = {
  operationId: 'setPaymentRules',
  tag: 'Students',
  summary: 'Set payment rules',
  description:
    'Replaces the rules whole. A late fee is due only while something of its component is; it counts from the due day once ' +
    'the grace days are over, is shown before payment, and is paid before the fees themselves.',
  exampleBody: { ...RULES, late_fees: RULES.late_fees.map(({ id: _id, ...rule }) => rule) },
  answers: { 200: answer('The rules as they are now.', { schema: RulesView, example: RULES }) },
}

export const getDuesDocs: EndpointDocs = {
  operationId: 'getDues',
  tag: 'Students',
  summary: 'Get dues',
  description: 'What a student owes today, component by component, with late fees.',
  answers: {
    200: answer('The dues.', {
      schema: DuesView,
      example: {
        service_student_id: STUDENT_ID,
        total_amount: 20450,
        outstanding_amount: 20000,
        late_fee_amount: 450,
        advance_amount: 0,
        on_the_way_amount: 0,
        components: [
          {
            component_type: 'TUITION_FEE',
            fee_amount: 50000,
            discount_amount: 5000,
            paid_amount: 25000,
            outstanding_amount: 20000,
            due_date: '2026-12-10',
            is_late: true,
          },
        ],
        late_fees: [
          {
            late_fee_id: RULE_ID,
            component_type: 'TUITION_FEE',
            due_date: '2026-12-10',
            days_late: 9,
            amount: 450,
            waived_amount: 0,
          },
        ],
      },
    }),
  },
  errors: [404],
}

export const payDocs: EndpointDocs = {
  operationId: 'createStudentOrder',
  tag: 'Students',
  summary: 'Create an order for dues',
  description:
    "An order for all or a part of what a student owes, spread by the institute's rules. The parent pays it at redirect_url. " +
    'An earlier one that nobody paid is closed. Recorded as `pay.payment.*` with the student.',
  exampleBody: { amount: 5000, callback_url: 'https://erp.example.in/fees' },
  answers: {
    201: answer('The order was made.', {
      schema: OrderView,
      example: {
        order_id: 'order_01k9zq4m0ve8sbn6yt2hw3c5da',
        redirect_url: 'https://pay.example.in/pay/demo-school/order_01k9zq4m0ve8sbn6yt2hw3c5da',
      },
    }),
  },
  errors: [404, 409],
}

export const listPaidDocs: EndpointDocs = {
  operationId: 'listStudentPayments',
  tag: 'Students',
  summary: 'List payments made here',
  description:
    'What was paid here for a student through any product, and what is on its way; the newest 500.',
  answers: {
    200: answer('The payments, newest first.', {
      schema: Type.Array(PaidView),
      example: [
        {
          order_id: 'order_01k9zq4m0ve8sbn6yt2hw3c5da',
          payment_id: 'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
          product: 'pay',
          status: 'captured',
          amount: 5000,
          refunded_amount: 0,
          mode: 'upi',
          transaction_id: 'SBX0123456789',
          paid_at: '2026-12-19T05:30:00.000Z',
          receipt_number: '2026-27/000042',
          details: [{ component_type: 'TUITION_FEE', amount: 5000 }],
        },
      ],
    }),
  },
  errors: [404],
}

const ENTRY = {
  id: 'late_01k9zq4m0ve8sbn6yt2hw3c5db',
  late_fee_id: RULE_ID,
  kind: 'waived',
  amount: 450,
  reason: 'The bank was closed for three days.',
  actor: 'key_test_demo',
  at: '2026-12-19T05:30:00.000Z',
}

export const waiveDocs: EndpointDocs = {
  operationId: 'waiveLateFee',
  tag: 'Students',
  summary: 'Waive late fees',
  description:
    'Lets a student off the late fees that are due, or a part of one. The reason is kept for good.',
  exampleBody: { reason: 'The bank was closed for three days.' },
  answers: { 201: answer('What was let off.', { schema: Type.Array(EntryView), example: [ENTRY] }) },
  errors: [404, 409],
}

export const listEntriesDocs: EndpointDocs = {
  operationId: 'listLateFees',
  tag: 'Students',
  summary: 'List late fees',
  description: 'Late fees that a student paid or was let off; the newest 200.',
  answers: {
    200: answer('The entries, newest first.', { schema: Type.Array(EntryView), example: [ENTRY] }),
  },
  errors: [404],
}
