import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { lateFeeEntryOutput } from '../../dues/dues.output.ts'
import { createDuesOrder, type OpenedOrder } from '../../dues/pay-dues.service.ts'
import { waiveLateFees, type LateFeeEntry } from '../../dues/payment-rules.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { created, ok } from '../../http/envelope.ts'
import { createdOrderOutput } from '../../orders/order.output.ts'
import { toRupees } from '../../platform/money.ts'
import {
  countedOutput,
  directPaymentOutput,
  remarkOn,
  toCountedJson,
} from '../../students/direct-payments/direct-payment.output.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import { recordPayment, type Recorded } from '../../students/direct-payments/direct-payments.service.ts'
import { readOnTheWay } from '../../payments/student-payments.service.ts'
import { paymentParams } from '../../students/direct-payments/direct-payment.input.ts'
import { changeProfile, type ChangedProfile } from '../../students/profile/profile.service.ts'
import { studentParams } from '../../students/student.input.ts'
import { studentOutput, toStudentJson } from '../../students/student.output.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import * as acts from './actions.service.ts'
import { ERP_ROLES, FINANCE_ROLES } from './students.rules.ts'
import * as input from './students.input.ts'
import { fetchedOutput, toDiscountJson } from './students.output.ts'

const STUDENT = '/students/:service_student_id'

export function studentActRoutes(app: FastifyInstance, flex: FlexContext): void {
  addFetch(app, flex)
  addDirectPayments(app, flex)
  addConcession(app, flex)
  addLateFeeWaiver(app, flex)
  addProfile(app, flex)
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
      data: fetchedOutput.schema,
    },
    params: studentParams,
    perform: (act, { institute, params }) => acts.fetchNow(flex, act, { institute, ...params }),
    audit({ params }, asked: acts.Asked) {
      const changes = asked.kind === 'found' ? asked.changes : []
      return {
        what: 'student.fetched',
        about: params.studentId,
        before: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
        after: {
          outcome: asked.kind,
          ...Object.fromEntries(changes.map(({ field, after }) => [field, after])),
        },
      }
    },
    toResponse: (asked: acts.Asked) => ok(fetchedOutput.toJson(asked)),
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
    params: studentParams,
    body: input.recordInput,
    perform: (act, { institute, params, body: { reason: _reason, ...payment } }) =>
      recordPayment(flex, act, { institute, ...params }, { payment, readOnTheWay }),
    audit: ({ params, body }, { isNew, payment }: Recorded) =>
      isNew
        ? {
            what: 'payment.recorded',
            about: params.studentId,
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
    params: paymentParams,
    body: input.reasonInput,
    perform: (act, { institute, params }) => acts.cancelDirect(flex, act, { institute, ...params }),
    audit: ({ params, body }, payment: RecordedPayment) => ({
      what: 'payment.cancelled',
      about: params.studentId,
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
    params: studentParams,
    body: input.concessionInput,
    perform: (act, { institute, params, body }) =>
      acts.concede(
        flex,
        act,
        { institute, ...params },
        {
          componentType: body.componentType,
          discount: { discountType: body.discountType, valuePaise: body.amountPaise },
        },
      ),
    audit: ({ params, body }, { componentType, before, after }) => ({
      what: 'concession.changed',
      about: params.studentId,
      why: body.reason,
      before: { component_type: componentType, discounts: before.map(toDiscountJson) },
      after: { component_type: componentType, discounts: after.map(toDiscountJson) },
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
    },
    params: studentParams,
    body: input.lateFeeWaiverInput,
    perform: (act, { institute, who, params, body }) =>
      waiveLateFees(flex, act, { institute, ...params }, { ...body, actor: who.email }),
    audit: ({ params, body }, entries: LateFeeEntry[]) => ({
      what: 'late_fee.waived',
      about: params.studentId,
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
    params: studentParams,
    body: input.statusInput,
    perform: (act, { institute, params, body }) =>
      acts.setStatus(flex, act, { institute, ...params }, body.status),
    audit: ({ params, body }, { before, after }) => ({
      what: after === 'dropped' ? 'student.dropped' : 'student.activated',
      about: params.studentId,
      why: body.reason,
      before: { status: before },
      after: { status: after },
    }),
    toResponse: () => ok(),
  })
}

function addProfile(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'PATCH',
    url: STUDENT,
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleChangeStudent',
      summary: 'Change the profile of a student',
      description:
        'Fields sent are set, others stay. An institute with an ERP gets its own back at the next fetch.',
      data: studentOutput.schema,
    },
    params: studentParams,
    body: input.profileChangeInput,
    perform: (act, { institute, params, body: { reason: _reason, ...sent } }) =>
      changeProfile(flex, act, { institute, id: params.studentId }, sent),
    audit: ({ params, body }, { changes }: ChangedProfile) =>
      changes.length === 0
        ? null
        : {
            what: 'student.changed',
            about: params.studentId,
            why: body.reason,
            before: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
            after: Object.fromEntries(changes.map(({ field, after }) => [field, after])),
          },
    toResponse: ({ record }: ChangedProfile) => ok(toStudentJson(record)),
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
      data: createdOrderOutput.schema,
      creates: true,
    },
    params: studentParams,
    body: input.orderInput,
    perform: (act, { institute, params, body }) =>
      createDuesOrder(
        flex,
        act,
        { institute, ...params },
        {
          ...body,
          callbackUrl: null,
        },
      ),
    audit: ({ params, body }, { orderId }) => ({
      what: 'order.made',
      about: params.studentId,
      after: {
        order_id: orderId,
        ...(body.amountPaise === null ? {} : { amount: toRupees(body.amountPaise) }),
      },
    }),
    toResponse: (order: OpenedOrder) => created(createdOrderOutput.toJson(order)),
  })
}
