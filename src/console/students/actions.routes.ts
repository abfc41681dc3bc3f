import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { lateFeeEntryOutput } from '../../dues/dues.output.ts'
import { createDuesOrder } from '../../dues/pay-dues.service.ts'
import { waiveLateFees, type LateFeeEntry } from '../../dues/payment-rules.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { created, ok } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { toRupees } from '../../platform/money.ts'
import {
  countedOutput,
  directPaymentOutput,
  remarkOn,
  toCountedJson,
} from '../../students/direct-payments/direct-payment.output.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import type { Recorded } from '../../students/direct-payments/direct-payments.service.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import * as acts from './actions.service.ts'
import { ERP_ROLES, FINANCE_ROLES } from './students.rules.ts'
import * as schemas from './students.schemas.ts'
import type { Target } from './students.service.ts'
import { discountView, fetchedView } from './students-view.ts'

const STUDENT = '/students/:service_student_id'

export function studentActRoutes(app: FastifyInstance, flex: FlexContext): void {
  addFetch(app, flex)
  addDirectPayments(app, flex)
  addConcession(app, flex)
  addLateFeeWaiver(app, flex)
  addStatus(app, flex)
  addOrder(app, flex)
}

function addFetch(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/fetch`,
    roles: ERP_ROLES,
    docs: {
      operationId: 'consoleFetchStudent',
      summary: 'Ask the ERP about a student now',
      description: 'Brings the student up to date and says what that changed.',
      data: schemas.FetchedView,
    },
    params: schemas.StudentParams,
    perform: (act, { institute, params }) => acts.fetchNow(flex, act, targetOf(institute, params)),
    audit({ params }, asked: acts.Asked) {
      const changes = asked.kind === 'found' ? asked.changes : []
      return {
        what: 'student.fetched',
        about: params.service_student_id,
        before: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
        after: {
          outcome: asked.kind,
          ...Object.fromEntries(changes.map(({ field, after }) => [field, after])),
        },
      }
    },
    toResponse: (asked: acts.Asked) => ok(fetchedView(asked)),
  })
}

function addDirectPayments(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/payments`,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleRecordPayment',
      summary: 'Record a direct payment',
      description:
        'Money that the institute took itself: cash, a cheque, a transfer. It counts as paid at once.',
      data: countedOutput.schema,
      creates: true,
    },
    params: schemas.StudentParams,
    body: schemas.recordInput,
    perform: (act, { institute, params, body: { reason: _reason, ...payment } }) =>
      acts.recordDirect(flex, act, targetOf(institute, params), payment),
    audit: ({ params, body }, { isNew, payment }: Recorded) =>
      isNew
        ? {
            what: 'payment.recorded',
            about: params.service_student_id,
            why: body.reason,
            after: directPaymentOutput.toJson(payment),
          }
        : null,
    toResponse: (recorded: Recorded) => created(toCountedJson(recorded), remarkOn(recorded)),
  })
  addConsoleWrite(app, flex, {
    method: 'DELETE',
    url: `${STUDENT}/payments/:transaction_id`,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleCancelPayment',
      summary: 'Cancel a direct payment',
      description: 'It stays on record and does not count as paid any more.',
      data: directPaymentOutput.schema,
    },
    params: schemas.CancelParams,
    body: schemas.ReasonBody,
    perform: (act, { institute, params }) =>
      acts.cancelDirect(flex, act, targetOf(institute, params), params.transaction_id),
    audit: ({ params, body }, payment: RecordedPayment) => ({
      what: 'payment.cancelled',
      about: params.service_student_id,
      why: body.reason,
      before: directPaymentOutput.toJson({ ...payment, cancelledAt: null }),
      after: { transaction_id: payment.transactionId, status: 'cancelled' },
    }),
    toResponse: (payment: RecordedPayment) => ok(directPaymentOutput.toJson(payment)),
  })
}

function addConcession(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/concessions`,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleGiveConcession',
      summary: 'Give, change or end a concession',
      description: 'Sets what one kind of discount takes off one fee; other discounts stay. 0 ends it.',
    },
    params: schemas.StudentParams,
    body: schemas.ConcessionBody,
    perform: (act, { institute, params, body }) =>
      acts.concede(flex, act, targetOf(institute, params), {
        componentType: body.component_type,
        discount: { discountType: body.discount_type, valuePaise: body.amount },
      }),
    audit: ({ params, body }, { componentType, before, after }) => ({
      what: 'concession.changed',
      about: params.service_student_id,
      why: body.reason,
      before: { component_type: componentType, discounts: before.map(discountView) },
      after: { component_type: componentType, discounts: after.map(discountView) },
    }),
    toResponse: () => ok(),
  })
}

function addLateFeeWaiver(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/late-fee-waivers`,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleWaiveLateFee',
      summary: 'Let a student off late fees',
      description: 'All that are due, one of them, or a part of one.',
      data: Type.Array(lateFeeEntryOutput.schema),
      creates: true,
      exampleBody: { reason: 'First time' },
    },
    params: schemas.StudentParams,
    body: schemas.WaiverBody,
    perform: (act, { institute, who, params, body }) =>
      waiveLateFees(flex, act, targetOf(institute, params), {
        ruleId: body.late_fee_id,
        amountPaise: body.amount,
        reason: body.reason,
        actor: who.email,
      }),
    audit: ({ params, body }, entries: LateFeeEntry[]) => ({
      what: 'late_fee.waived',
      about: params.service_student_id,
      why: body.reason,
      after: entries.map(({ ruleId, amountPaise }) => ({
        late_fee_id: ruleId,
        waived_amount: toRupees(amountPaise),
      })),
    }),
    toResponse: (entries: LateFeeEntry[]) => created(entries.map(entry => lateFeeEntryOutput.toJson(entry))),
  })
}

function addStatus(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/status`,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleSetStudentStatus',
      summary: 'Drop or activate a student',
      description:
        'From a dropped one nothing is debited: its plan is cancelled when the next instalment comes up.',
    },
    params: schemas.StudentParams,
    body: schemas.StatusBody,
    perform: (act, { institute, params, body }) =>
      acts.setStatus(flex, act, targetOf(institute, params), body.status),
    audit: ({ params, body }, { before, after }) => ({
      what: after === 'dropped' ? 'student.dropped' : 'student.activated',
      about: params.service_student_id,
      why: body.reason,
      before: { status: before },
      after: { status: after },
    }),
    toResponse: () => ok(),
  })
}

function addOrder(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/orders`,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleOrderDues',
      summary: 'Make a link by which dues are paid',
      description: 'For all or a part of what is due now. An earlier one that nobody paid is closed.',
      data: schemas.OrderedView,
      creates: true,
      exampleBody: {},
    },
    params: schemas.StudentParams,
    body: schemas.OrderBody,
    perform: (act, { institute, params, body }) =>
      createDuesOrder(flex, act, targetOf(institute, params), {
        amountPaise: body.amount ?? null,
        callbackUrl: null,
      }),
    audit: ({ params, body }, { orderId }) => ({
      what: 'order.made',
      about: params.service_student_id,
      after: { order_id: orderId, ...(body.amount === undefined ? {} : { amount: toRupees(body.amount) }) },
    }),
    toResponse: ({ orderId, redirectUrl }) => created({ order_id: orderId, redirect_url: redirectUrl }),
  })
}

function targetOf(institute: Institute, params: { service_student_id: string }): Target {
  return { institute, studentId: params.service_student_id }
}
