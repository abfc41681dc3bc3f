import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok } from '../http/envelope.ts'
import { listOnTheWay, listPaid } from '../payments/student-payments.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { badField } from '../platform/errors.ts'
import { paiseOf } from '../platform/money.ts'
import * as docs from './dues.docs.ts'
import { getDues } from './dues.service.ts'
import { duesView, entryView, paidView, rulesView } from './dues-view.ts'
import * as schemas from './dues.schemas.ts'
import { createDuesOrder } from './pay-dues.service.ts'
import {
  getPaymentRules,
  listLateFeeEntries,
  setPaymentRules,
  waiveLateFees,
  type LateFeeEntry,
  type NewRules,
  type PaymentRules,
} from './payment-rules.service.ts'

const ERP = '/api/v1/integrations/erp'
const STUDENT = `${ERP}/students/:service_student_id`
const ORDER_PAYMENT_HANDLER = '/api/v1/integrations/pay/students/:service_student_id'

export function duesRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addRead(app, {
    url: `${ERP}/payment-rules`,
    docs: docs.getRulesDocs,
    answer: async ({ caller }) => ok(rulesView(await getPaymentRules(ctx, caller.institute))),
  })
  addWrite(app, ctx, {
    method: 'PUT',
    url: `${ERP}/payment-rules`,
    docs: docs.setRulesDocs,
    body: schemas.RulesBody,
    perform: (act, { caller, body }) => setPaymentRules(ctx, act, caller.institute, toRules(body)),
    toResponse: (rules: PaymentRules) => ok(rulesView(rules)),
  })
  addRead(app, {
    url: `${STUDENT}/dues`,
    docs: docs.getDuesDocs,
    params: schemas.StudentParams,
    async answer({ caller: { institute }, params: { service_student_id: studentId } }) {
      const dues = await getDues(ctx, { instituteId: institute.id, studentId })
      return ok(duesView(dues, await listOnTheWay(ctx.db, institute.id, [studentId])))
    },
  })
  addLateFeeRoutes(app, ctx)
  addPayRoutes(app, ctx)
}

function addLateFeeRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${STUDENT}/late-fee-waivers`,
    docs: docs.waiveDocs,
    params: schemas.StudentParams,
    body: schemas.WaiverBody,
    perform: (act, { caller, params, body }) =>
      waiveLateFees(
        ctx,
        act,
        { institute: caller.institute, studentId: params.service_student_id },
        { ruleId: body.late_fee_id, amountPaise: body.amount, reason: body.reason, actor: caller.keyId },
      ),
    toResponse: (entries: LateFeeEntry[]) => created(entries.map(entryView)),
  })
  addRead(app, {
    url: `${STUDENT}/late-fees`,
    docs: docs.listEntriesDocs,
    params: schemas.StudentParams,
    async answer({ caller: { institute }, params: { service_student_id: studentId } }) {
      await getDues(ctx, { instituteId: institute.id, studentId })
      return ok((await listLateFeeEntries(ctx, { institute, studentId })).map(entryView))
    },
  })
}

function addPayRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ORDER_PAYMENT_HANDLER}/orders`,
    docs: docs.payDocs,
    params: schemas.StudentParams,
    body: schemas.PayBody,
    perform: (act, { caller, params, body }) =>
      createDuesOrder(
        ctx,
        act,
        { institute: caller.institute, studentId: params.service_student_id },
        { amountPaise: body.amount ?? null, callbackUrl: body.callback_url ?? null },
      ),
    toResponse: ({ orderId, redirectUrl }) => created({ order_id: orderId, redirect_url: redirectUrl }),
  })
  addRead(app, {
    url: `${ORDER_PAYMENT_HANDLER}/payments`,
    docs: docs.listPaidDocs,
    params: schemas.StudentParams,
    async answer({ caller: { institute }, params: { service_student_id: studentId } }) {
      await getDues(ctx, { instituteId: institute.id, studentId })
      const [onTheWay, paid] = await Promise.all([
        listOnTheWay(ctx.db, institute.id, [studentId]),
        listPaid(ctx.db, institute.id, [studentId]),
      ])
      return ok([...onTheWay, ...paid].map(paidView))
    },
  })
}

const ONE_RUPEE = paiseOf(100)

function toRules(body: Static<typeof schemas.RulesBody>): NewRules {
  return {
    partPayment: { isAllowed: body.part_payments ?? true, leastPaise: body.min_amount ?? ONE_RUPEE },
    allocation: body.allocation ?? 'oldest_due',
    lateFees: (body.late_fees ?? []).map((rule, index) => ({
      componentType: rule.component_type ?? null,
      dueOn: rule.due_date,
      graceDays: rule.grace_days ?? 0,
      charge: toCharge(rule, index),
      capPaise: rule.max_amount ?? null,
    })),
  }
}

type SentLateFee = NonNullable<Static<typeof schemas.RulesBody>['late_fees']>[number]

function toCharge(rule: SentLateFee, index: number): NewRules['lateFees'][number]['charge'] {
  const { kind, amount_per_day: perDay, slabs = [] } = rule
  if (kind === 'none') return { kind }
  if (kind === 'slab') {
    return { kind, slabs: slabs.map(slab => ({ fromDay: slab.from_day, amountPaise: slab.amount })) }
  }
  if (perDay === undefined) throw badField(`late_fees.${index}.amount_per_day`, 'is required with per_day')
  return { kind, amountPaise: perDay }
}
