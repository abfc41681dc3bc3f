import type { FastifyInstance } from 'fastify'
import { answer, answerPage, type AnswerDocs } from '../../http/wire/answers.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { ok, page, type Success } from '../../http/envelope.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import {
  correctionInput,
  directPaymentInput,
  listPaymentsQuery,
  PAYMENT_ID,
  paymentParams,
} from './direct-payment.input.ts'
import {
  countedOutput,
  directPaymentFileOutput,
  directPaymentOutput,
  remarkOn,
  toCountedJson,
} from './direct-payment.output.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import * as service from './direct-payments.service.ts'
import { studentParams } from '../student.input.ts'

const PAYMENTS = '/api/v1/integrations/erp/students/:service_student_id/payments'
const PAYMENT = `${PAYMENTS}/:transaction_id`
const tag = 'Students'

export function directPaymentRoutes(
  app: FastifyInstance,
  ctx: Context,
  readOnTheWay: service.ReadOnTheWay,
): void {
  addRecord(app, ctx, readOnTheWay)
  addChanges(app, ctx)
  addReads(app, ctx)
}

const countedAnswer = (description: string): AnswerDocs => ({
  ...answer(description, countedOutput),
  remark: '₹500 of this payment is more than what is due of its components and counts as advance.',
})

function addRecord(app: FastifyInstance, ctx: Context, readOnTheWay: service.ReadOnTheWay): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: PAYMENTS,
    scope: 'students',
    docs: {
      operationId: 'recordDirectPayment',
      tag,
      summary: 'Record a direct payment',
      description:
        'A payment that was taken outside: at the counter, by cheque, by transfer. Once per transaction_id of a student: the ' +
        'same again answers 200 and changes nothing, other details under a known transaction_id are 409, and so is one that ' +
        'was cancelled. A payment that was collected here and is sent back, by its transaction_id or our id of it, answers 200 ' +
        'and is not counted again. What is more than what is due of its components counts as advance: `advance` and `message` say so, ' +
        'and `message` tells of an online payment that is on its way.',
      errors: [404],
      answers: {
        200: countedAnswer('It was recorded before.'),
        201: countedAnswer('It is recorded.'),
      },
    },
    params: studentParams,
    body: directPaymentInput,
    perform: (act, { caller: { institute }, params, body: payment }) =>
      service.recordPayment(ctx, act, { institute, ...params }, { payment, readOnTheWay }),
    toResponse: (recorded: service.Recorded) => counted(recorded, recorded.isNew ? 201 : 200),
  })
}

function addChanges(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'PATCH',
    url: PAYMENT,
    scope: 'students',
    docs: {
      operationId: 'correctDirectPayment',
      tag,
      summary: 'Correct a direct payment',
      description:
        'Fields sent are set, others stay; null or "" clears settlement_utr and notes. amount must equal the sum of ' +
        'fee_components afterwards, so send both when one changes. What it was stays in its history. The transaction_id ' +
        'cannot be changed: cancel the payment and record it anew. A cancelled one is 409.',
      errors: [404],
      answers: { 200: countedAnswer('The payment as it is now.') },
    },
    params: paymentParams,
    body: correctionInput,
    perform(act, { caller: { institute }, params, body: { transactionId, ...correction } }) {
      // It tells payments apart; one that is sent to be changed must not be passed over in silence.
      if (transactionId !== undefined && transactionId !== params.transactionId)
        throw badField('transaction_id', 'cannot be changed; cancel this payment and record it anew')
      return service.changePayment(ctx, act, { institute, ...params }, correction)
    },
    toResponse: (payment: service.Counted) => counted(payment, 200),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: PAYMENT,
    scope: 'students',
    docs: {
      operationId: 'cancelDirectPayment',
      tag,
      summary: 'Cancel a direct payment',
      description:
        'It does not count as paid any more and stays readable as cancelled. Its transaction_id is not used again. Cancelling ' +
        'it once more changes nothing.',
      errors: [404],
      answers: { 200: answer('The cancelled payment.', directPaymentOutput) },
    },
    params: paymentParams,
    perform: (act, { caller: { institute }, params }) =>
      service.cancelPayment(ctx, act, { institute, ...params }),
    toResponse: (payment: RecordedPayment) => ok(directPaymentOutput.toJson(payment)),
  })
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: PAYMENTS,
    docs: {
      operationId: 'listDirectPayments',
      tag,
      summary: 'List the direct payments of a student',
      description: 'Newest first, cancelled ones too. Online payments are not among them.',
      errors: [404],
      answers: { 200: answerPage(directPaymentOutput, PAYMENT_ID) },
    },
    params: studentParams,
    query: listPaymentsQuery,
    async answer({ caller: { institute }, params, query: { cursor, status, limit } }) {
      const isCancelled = status === undefined ? undefined : status === 'cancelled'
      const target = { institute, ...params }
      const found = await service.listPayments(ctx, target, { isCancelled }, { cursor, limit })
      return page(
        found.rows.map(payment => directPaymentOutput.toJson(payment)),
        found.nextCursor,
      )
    },
  })
  addRead(app, {
    url: PAYMENT,
    docs: {
      operationId: 'getDirectPayment',
      tag,
      summary: 'Get a direct payment',
      description: 'With what it was before it was corrected or cancelled.',
      errors: [404],
      answers: { 200: answer('The payment.', directPaymentFileOutput) },
    },
    params: paymentParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(directPaymentFileOutput.toJson(await service.getPayment(ctx, { institute, ...params }))),
  })
}

function counted(result: service.Counted, httpStatus: Success['httpStatus']): Success {
  return { httpStatus, data: toCountedJson(result), message: remarkOn(result) }
}
