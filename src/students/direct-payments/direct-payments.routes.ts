import type { FastifyInstance } from 'fastify'
import { sendIfNew } from '../../http/assets.ts'
import { callerOf } from '../../http/auth.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { documentFile } from '../../http/openapi/operation.ts'
import { createdIfNew, from, one, pageOf, remarked } from '../../http/reply.ts'
import { badField, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import {
  correctionInput,
  directPaymentInput,
  listPaymentsQuery,
  paymentParams,
  countedOutput,
  directPaymentFileOutput,
  directPaymentOutput,
  remarkOn,
  toCounted,
} from './direct-payment.schemas.ts'
import { findDirectReceiptFile } from './direct-receipt.service.ts'
import * as service from './direct-payments.service.ts'
import { studentParams } from '../student.input.ts'

const PAYMENTS = '/api/v1/integrations/erp/students/:service_student_id/payments'
const PAYMENT = `${PAYMENTS}/:transaction_id`
const tag = 'Direct payments'

export function directPaymentRoutes(
  app: FastifyInstance,
  ctx: Context,
  readOnTheWay: service.ReadOnTheWay,
): void {
  addRecord(app, ctx, readOnTheWay)
  addChanges(app, ctx)
  addReads(app, ctx)
  addReceipt(app, ctx)
}

const ADVANCE = '₹500 of this payment is more than what is due of its components and counts as advance.'

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
    },
    output: remarked(
      from(createdIfNew(countedOutput), toCounted<service.RecordedOutcome>),
      remarkOn,
      ADVANCE,
    ),
    params: studentParams,
    body: directPaymentInput,
    perform: (act, { caller: { institute }, params, body: { hasReceipt, ...payment } }) =>
      service.recordPayment(
        ctx,
        act,
        { institute, ...params },
        { payment, readOnTheWay, recordedBy: null, hasReceipt },
      ),
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
    },
    output: remarked(from(one(countedOutput), toCounted<service.PaymentWithAdvance>), remarkOn, ADVANCE),
    params: paymentParams,
    body: correctionInput,
    perform(act, { caller: { institute }, params, body: { transactionId, ...correction } }) {
      // It tells payments apart; one that is sent to be changed must not be passed over in silence.
      if (transactionId !== undefined && transactionId !== params.transactionId)
        throw badField('transaction_id', 'cannot be changed; cancel this payment and record it anew')
      return service.changePayment(ctx, act, { institute, ...params }, correction)
    },
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
    },
    output: one(directPaymentOutput),
    params: paymentParams,
    perform: (act, { caller: { institute }, params }) =>
      service.cancelPayment(ctx, act, { institute, ...params }),
  })
}

/** A file, not an envelope; errors have the envelope as everywhere. */
function addReceipt(app: FastifyInstance, ctx: Context): void {
  const schema = documentFile({
    operationId: 'getDirectPaymentReceipt',
    tag,
    summary: 'Download the receipt of a direct payment',
    description:
      'A PDF with a running number of the same series as those of online payments; 404 when none was issued. A corrected ' +
      'payment has a new one; that of a cancelled payment says so.',
    params: paymentParams,
    mediaType: 'application/pdf',
    scope: 'read',
  })
  app.get(`${PAYMENT}/receipt`, { config: { scope: 'read' }, schema }, async (request, reply) => {
    const { institute } = callerOf(request)
    const { id } = await service.getPayment(ctx, { institute, ...paymentParams.read(request.params) })
    const file = await findDirectReceiptFile(ctx, institute, id)
    if (file === null) throw notFound('A receipt of this payment')
    reply.header('content-disposition', 'attachment; filename="receipt.pdf"')
    return sendIfNew(request, reply, file)
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
    },
    output: pageOf(directPaymentOutput),
    params: studentParams,
    query: listPaymentsQuery,
    answer({ caller: { institute }, params, query: { cursor, status, limit } }) {
      const isCancelled = status === undefined ? undefined : status === 'cancelled'
      return service.listPayments(ctx, { institute, ...params }, { isCancelled }, { cursor, limit })
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
    },
    output: one(directPaymentFileOutput),
    params: paymentParams,
    answer: ({ caller: { institute }, params }) => service.getPayment(ctx, { institute, ...params }),
  })
}
