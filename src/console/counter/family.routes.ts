import type { FastifyInstance } from 'fastify'
import {
  counterQrInput,
  takingInput,
  takingOutput,
  takingPaperQuery,
  takingParams,
} from '../../dues/takings/taking.schemas.ts'
import { printTaking, takeFromFamily, type TakenFromFamily } from '../../dues/takings/takings.service.ts'
import { all, created, one } from '../../http/reply.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { sumPaise, toRupees } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER, TAKERS } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { assertMayTake } from './counter.rules.ts'
import { drawQr } from '../orders/pages.routes.ts'
import { closeCounterQr, openCounterQr, readCounterQr, type CounterQr } from './counter-qr.service.ts'
import {
  counterQrOutput,
  counterQrParams,
  familyOutput,
  familyParams,
  familyQuery,
  foundFamilyOutput,
} from './family.schemas.ts'
import { findFamilies, readFamily } from './family.service.ts'

/** The counter by families: found by what they bring, and all that they hand over taken at once. */
export function familyCounterRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addCounterQr(app, ctx)
  addConsoleRead(app, ctx, {
    url: '/counter/families',
    roles: AT_COUNTER,
    query: familyQuery,
    output: all(foundFamilyOutput),
    answer: ({ institute, query }) => findFamilies(ctx, institute, query.typed),
  })
  addConsoleRead(app, ctx, {
    url: '/counter/families/:service_student_id',
    roles: AT_COUNTER,
    params: familyParams,
    output: one(familyOutput),
    answer: ({ institute, params }) => readFamily(ctx, { institute, ...params }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/takings',
    roles: TAKERS,
    body: takingInput,
    output: created(takingOutput),
    perform(command, { institute, who, role, body }) {
      const now = ctx.clock.now()
      assertMayTake(role, { ...body, paidAt: body.paidAt ?? now }, now)
      return takeFromFamily(ctx, command, institute, { ...body, takenBy: who.email })
    },
    audit: (_call, taking: TakenFromFamily) =>
      [...Map.groupBy(taking.payments, payment => payment.studentId)].map(([about, own]) => ({
        what: 'payment.recorded',
        about,
        after: {
          amount: toRupees(sumPaise(own.map(payment => payment.amountPaise))),
          modes: own.map(payment => payment.mode),
          receipts: own.map(payment => receiptNumber(payment.receipt)),
          taking_id: taking.id,
        },
      })),
  })
  addConsoleFile(app, ctx, {
    url: '/counter/takings/:taking_id/pdf',
    roles: AT_COUNTER,
    params: takingParams,
    query: takingPaperQuery,
    mediaType: 'application/pdf',
    isShown: true,
    answer: async ({ institute, params: { takingId }, query: { how } }) => ({
      name: `receipt-${takingId}.pdf`,
      content: await printTaking(ctx, institute, { id: takingId, how: how ?? null }),
    }),
  })
}

const QR = '/counter/qr'

/** A code on the clerk's screen, by which the family's phone pays exactly what was agreed. */
function addCounterQr(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: QR,
    roles: TAKERS,
    body: counterQrInput,
    output: created(counterQrOutput),
    perform: (command, { institute, body }) =>
      openCounterQr(
        ctx,
        command,
        institute,
        body.children.map(({ studentId, lines }) => ({ studentId, lines })),
      ),
    audit: ({ body }, code: CounterQr) =>
      body.children.map(({ studentId: about }) => ({
        what: 'counter.qr_shown',
        about,
        after: { checkout_id: code.checkoutId, amount: toRupees(code.amountPaise) },
      })),
  })
  addConsoleRead(app, ctx, {
    url: `${QR}/:checkout_id`,
    roles: AT_COUNTER,
    params: counterQrParams,
    output: one(counterQrOutput),
    answer: ({ institute, params }) => readCounterQr(ctx, institute, params.checkoutId),
  })
  addConsoleFile(app, ctx, {
    url: `${QR}/:checkout_id/picture`,
    roles: AT_COUNTER,
    params: counterQrParams,
    mediaType: 'image/svg+xml',
    isShown: true,
    async answer({ institute, params: { checkoutId } }) {
      const { url } = await readCounterQr(ctx, institute, checkoutId)
      return { name: `qr-${checkoutId}.svg`, content: await drawQr(url) }
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: `${QR}/:checkout_id`,
    roles: TAKERS,
    params: counterQrParams,
    output: one(counterQrOutput),
    perform: (command, { institute, params }) => closeCounterQr(ctx, command, institute, params.checkoutId),
    audit: ({ params }, { state }: CounterQr) => ({
      what: 'counter.qr_closed',
      about: params.checkoutId,
      after: { state },
    }),
  })
}
