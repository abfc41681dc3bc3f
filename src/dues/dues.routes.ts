import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { all, created, createdAll, one } from '../http/reply.ts'
import { createdOrderOutput } from '../orders/order.output.ts'
import { listOnTheWay, listPaid, listPending } from '../payments/student-payments.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { advanceRefundInput, refundOutput } from '../payments/refund.schemas.ts'
import { refundAdvance } from '../payments/refunds/advance-refund.service.ts'
import { studentParams } from '../students/student.input.ts'
import {
  payDuesInput,
  waiverInput,
  duesOutput,
  lateFeeEntryOutput,
  paymentRulesOutput,
  studentPaymentOutput,
  withOnTheWay,
} from './dues.schemas.ts'
import { getDues } from './dues.service.ts'
import { createDuesOrder } from './pay-dues.service.ts'
import { virtualAccountRoutes } from './virtual-accounts/virtual-accounts.routes.ts'
import { paymentRulesInput, toRules } from './payment-rules.input.ts'
import {
  getPaymentRules,
  listLateFeeEntries,
  setPaymentRules,
  waiveLateFees,
} from './payment-rules.service.ts'

const ERP = '/api/v1/integrations/erp'
const STUDENT = `${ERP}/students/:service_student_id`
const ORDER_PAYMENT_HANDLER = '/api/v1/integrations/pay/students/:service_student_id'
const tag = 'Fees'

export function duesRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addRules(app, ctx)
  addLateFees(app, ctx)
  addPayments(app, ctx)
  virtualAccountRoutes(app, ctx)
}

function addRules(app: FastifyInstance, ctx: PaymentContext): void {
  addRead(app, {
    url: `${ERP}/payment-rules`,
    docs: {
      operationId: 'getPaymentRules',
      tag,
      summary: 'Get payment rules',
      description: 'How parents may pay what is due: parts, how a part is spread, due days and late fees.',
    },
    output: one(paymentRulesOutput),
    answer: ({ caller }) => getPaymentRules(ctx, caller.institute),
  })
  addWrite(app, ctx, {
    method: 'PUT',
    url: `${ERP}/payment-rules`,
    scope: 'students',
    docs: {
      operationId: 'setPaymentRules',
      tag,
      summary: 'Set payment rules',
      description:
        'Replaces the rules whole. A late fee is due only while something of its component is; it counts from the due day once ' +
        'the grace days are over, is shown before payment, and is paid before the fees themselves.',
    },
    output: one(paymentRulesOutput),
    body: paymentRulesInput,
    perform: (act, { caller, body }) => setPaymentRules(ctx, act, caller.institute, toRules(body)),
  })
}

function addLateFees(app: FastifyInstance, ctx: PaymentContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${STUDENT}/late-fee-waivers`,
    scope: 'students',
    docs: {
      operationId: 'waiveLateFee',
      tag,
      summary: 'Waive late fees',
      description:
        'Lets a student off the late fees that are due, or a part of one. The reason is kept for good.',
      errors: [404, 409],
    },
    output: createdAll(lateFeeEntryOutput),
    params: studentParams,
    body: waiverInput,
    perform: (act, { caller: { institute, keyId }, params, body }) =>
      waiveLateFees(ctx, act, { institute, ...params }, { ...body, actor: keyId }),
  })
  addRead(app, {
    url: `${STUDENT}/late-fees`,
    docs: {
      operationId: 'listLateFees',
      tag,
      summary: 'List late fees',
      description: 'Late fees that a student paid or was let off; the newest 200.',
      errors: [404],
    },
    output: all(lateFeeEntryOutput),
    params: studentParams,
    async answer({ caller: { institute }, params: { studentId } }) {
      await getDues(ctx, { instituteId: institute.id, studentId })
      return listLateFeeEntries(ctx, { institute, studentId })
    },
  })
}

function addPayments(app: FastifyInstance, ctx: PaymentContext): void {
  addRead(app, {
    url: `${STUDENT}/dues`,
    docs: {
      operationId: 'getDues',
      tag,
      summary: 'Get dues',
      description: 'What a student owes today, component by component, with late fees.',
      errors: [404],
    },
    output: one(duesOutput),
    params: studentParams,
    async answer({ caller: { institute }, params: { studentId } }) {
      const dues = await getDues(ctx, { instituteId: institute.id, studentId })
      return withOnTheWay(dues, await listOnTheWay(ctx.db, institute.id, [studentId]))
    },
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ORDER_PAYMENT_HANDLER}/orders`,
    scope: 'orders',
    docs: {
      operationId: 'createStudentOrder',
      tag,
      summary: 'Create an order for dues',
      description:
        "An order for all or a part of what a student owes, spread by the institute's rules. The parent pays it at redirect_url. " +
        'An earlier one that nobody paid is closed. While somebody is at the bank to pay some of the same components it is 409, until the bank ' +
        'reports or ten minutes have passed; `take_over` starts all the same, unless that payment is pending at the bank. Recorded as `pay.payment.*` with the student.',
      errors: [404, 409],
    },
    output: created(createdOrderOutput),
    params: studentParams,
    body: payDuesInput,
    perform: (act, { caller: { institute }, params, body }) =>
      createDuesOrder(ctx, act, { institute, ...params }, body),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ORDER_PAYMENT_HANDLER}/advance/refunds`,
    scope: 'refunds',
    docs: {
      operationId: 'refundAdvance',
      tag: 'Refunds',
      summary: 'Refund the advance of a student',
      description:
        'Gives back what was paid for a student beyond what is owed (`fee_summary.advance`), whole or in part, in one act: of the payments ' +
        'that brought it, then of the newest, each as a refund of its own, all or none. Nothing becomes due by it. 409 when there is no ' +
        'advance, or when less of it was paid online: the rest goes back at the counter.',
      errors: [404, 409],
    },
    output: createdAll(refundOutput),
    params: studentParams,
    body: advanceRefundInput,
    perform: (act, { caller: { institute }, params, body }) =>
      refundAdvance(ctx, act, { institute, ...params }, body),
  })
  addRead(app, {
    url: `${ORDER_PAYMENT_HANDLER}/payments`,
    docs: {
      operationId: 'listStudentPayments',
      tag,
      summary: 'List payments made here',
      description:
        'What was paid here for a student through any product, and what is on its way; the newest 500.',
      errors: [404],
    },
    output: all(studentPaymentOutput),
    params: studentParams,
    async answer({ caller: { institute }, params: { studentId } }) {
      await getDues(ctx, { instituteId: institute.id, studentId })
      const [pending, paid] = await Promise.all([
        listPending(ctx.db, institute.id, [studentId]),
        listPaid(ctx.db, institute.id, [studentId]),
      ])
      return [...pending, ...paid]
    },
  })
}
