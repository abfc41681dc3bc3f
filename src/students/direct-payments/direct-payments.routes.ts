import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { ok, page, type Success } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { countedView, paymentFileView, paymentView, remarkOn } from './direct-payment-view.ts'
import * as docs from './direct-payments.docs.ts'
import type { Correction, RecordedPayment } from './direct-payments.rules.ts'
import * as schemas from './direct-payments.schemas.ts'
import * as service from './direct-payments.service.ts'
import { StudentParams } from '../students.schemas.ts'

const PAYMENTS = '/api/v1/integrations/erp/students/:service_student_id/payments'
const PAYMENT = `${PAYMENTS}/:transaction_id`

export function directPaymentRoutes(
  app: FastifyInstance,
  ctx: Context,
  readOnTheWay: service.ReadOnTheWay,
): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: PAYMENTS,
    docs: docs.recordPaymentDocs,
    params: StudentParams,
    body: schemas.PaymentBody,
    perform: (act, { caller, params, body }) =>
      service.recordPayment(ctx, act, targetOf(caller.institute, params), {
        payment: toPayment(body),
        readOnTheWay,
      }),
    toResponse: (recorded: service.Recorded) => counted(recorded, recorded.isNew ? 201 : 200),
  })
  addWrite(app, ctx, {
    method: 'PATCH',
    url: PAYMENT,
    docs: docs.changePaymentDocs,
    params: schemas.PaymentParams,
    body: schemas.CorrectionBody,
    perform: (act, { caller, params, body }) =>
      service.changePayment(ctx, act, paymentOf(caller.institute, params), toCorrection(params, body)),
    toResponse: (payment: service.Counted) => counted(payment, 200),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: PAYMENT,
    docs: docs.cancelPaymentDocs,
    params: schemas.PaymentParams,
    perform: (act, { caller, params }) =>
      service.cancelPayment(ctx, act, paymentOf(caller.institute, params)),
    toResponse: (payment: RecordedPayment) => ok(paymentView(payment)),
  })
  addReads(app, ctx)
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: PAYMENTS,
    docs: docs.listPaymentsDocs,
    params: StudentParams,
    query: schemas.ListPaymentsQuery,
    async answer({ caller, params, query: { cursor, status, limit = 50 } }) {
      const isCancelled = status === undefined ? undefined : status === 'cancelled'
      const target = targetOf(caller.institute, params)
      const { payments, nextCursor } = await service.listPayments(ctx, target, { cursor, isCancelled }, limit)
      return page(payments.map(paymentView), nextCursor)
    },
  })
  addRead(app, {
    url: PAYMENT,
    docs: docs.getPaymentDocs,
    params: schemas.PaymentParams,
    answer: async ({ caller, params }) =>
      ok(paymentFileView(await service.getPayment(ctx, paymentOf(caller.institute, params)))),
  })
}

function counted(result: service.Counted, httpStatus: Success['httpStatus']): Success {
  return { httpStatus, data: countedView(result), message: remarkOn(result) }
}

function targetOf(institute: Institute, params: Static<typeof StudentParams>): service.Target {
  return { institute, studentId: params.service_student_id }
}

function paymentOf(
  institute: Institute,
  params: Static<typeof schemas.PaymentParams>,
): service.PaymentTarget {
  return { institute, studentId: params.service_student_id, transactionId: params.transaction_id }
}

type BodyLine = Static<typeof schemas.PaymentBody>['fee_components'][number]

function toPayment(body: Static<typeof schemas.PaymentBody>): service.SentPayment {
  return {
    transactionId: body.transaction_id,
    amountPaise: body.amount,
    paidAt: body.paid_at,
    mode: body.mode ?? 'others',
    settlementUtr: body.settlement_utr ?? null,
    notes: body.notes ?? null,
    lines: body.fee_components.map(toLine),
  }
}

/** A transaction id tells payments apart; one that is sent to be changed must not be passed over in silence. */
function toCorrection(
  params: Static<typeof schemas.PaymentParams>,
  body: Static<typeof schemas.CorrectionBody>,
): Correction {
  if (body.transaction_id !== undefined && body.transaction_id !== params.transaction_id)
    throw badField('transaction_id', 'cannot be changed; cancel this payment and record it anew')
  return {
    amountPaise: body.amount,
    paidAt: body.paid_at,
    mode: body.mode,
    settlementUtr: body.settlement_utr,
    notes: body.notes,
    lines: body.fee_components?.map(toLine),
  }
}

function toLine(line: BodyLine): { componentType: string; amountPaise: BodyLine['amount'] } {
  return { componentType: line.component_type, amountPaise: line.amount }
}
