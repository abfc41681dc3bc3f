import type { FastifyInstance } from 'fastify'
import { ok } from '../../http/envelope.ts'
import { stateAt } from '../../orders/orders.rules.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { SearchQuery, SearchView, type SearchAnswer } from './search.schemas.ts'
import { search, type Found, type FoundPayment, type FoundUtr } from './search.service.ts'

export function searchRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/search',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleSearch',
      summary: 'Find anything by its name or number',
      description: 'A few students, orders, plans, payments, UTRs and requests that fit what is typed.',
      data: SearchView,
    },
    query: SearchQuery,
    async answer({ institute, role, query }) {
      return ok(view(await search(ctx, { institute, role }, query.q), ctx.clock.now()))
    },
  })
}

function view(found: Found, now: Date): SearchAnswer {
  return {
    students: found.students.map(({ id, fullname, identifier, grade, status }) => ({
      service_student_id: id,
      fullname,
      identifier,
      grade,
      status,
    })),
    orders: found.orders.map(order => ({
      order_id: order.id,
      kind: order.kind,
      status: stateAt(order, now),
      name: order.studentName ?? order.name,
      amount: toRupees(order.amountPaise),
      created_at: order.createdAt.toISOString(),
    })),
    plans: found.plans.map(({ id, studentId, state, studentName }) => ({
      plan_id: id,
      service_student_id: studentId,
      fullname: studentName,
      status: state,
    })),
    payments: found.payments.map(paymentView),
    utrs: found.utrs.map(utrView),
    erp_requests: found.erpRequests.map(({ id, method, route, status, at }) => ({
      request_id: id,
      method,
      route,
      status,
      at: at.toISOString(),
    })),
    requests: found.requests.map(({ requestId, what, about, by, at }) => ({
      request_id: requestId,
      what,
      about,
      by,
      at: at.toISOString(),
    })),
  }
}

function paymentView(payment: FoundPayment): SearchAnswer['payments'][number] {
  return {
    payment_id: payment.id,
    kind: payment.kind,
    status: payment.state,
    ...(payment.transactionId === null ? {} : { transaction_id: payment.transactionId }),
    amount: toRupees(payment.amountPaise),
    at: payment.at.toISOString(),
    ...whereTo(payment),
  }
}

function utrView(found: FoundUtr): SearchAnswer['utrs'][number] {
  return {
    id: found.id,
    kind: found.kind,
    utr: found.utr,
    amount: toRupees(found.amountPaise),
    ...(found.at === null ? {} : { at: found.at.toISOString() }),
    ...whereTo(found),
  }
}

function whereTo({ orderId, studentId }: { orderId: string | null; studentId: string | null }) {
  return {
    ...(orderId === null ? {} : { order_id: orderId }),
    ...(studentId === null ? {} : { service_student_id: studentId }),
  }
}
