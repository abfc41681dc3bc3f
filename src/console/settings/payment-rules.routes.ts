import type { FastifyInstance } from 'fastify'
import { paymentRulesOutput } from '../../dues/dues.output.ts'
import { paymentRulesInput, toRules } from '../../dues/payment-rules.input.ts'
import { getPaymentRules, setPaymentRules, type PaymentRules } from '../../dues/payment-rules.service.ts'
import { field, input } from '../../http/wire/input.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'

const RULE_MAKERS: readonly ConsoleRole[] = ['owner', 'finance']
const body = input({
  ...paymentRulesInput.fields,
  reason: field.text('Why; stands in the audit log.', 'Decided by the management'),
})

/** How parents may pay what is due, and what becomes of money beyond it. */
export function paymentRulesRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/payment-rules',
    roles: EVERYONE,
    output: one(paymentRulesOutput),
    answer: ({ institute }) => getPaymentRules(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/payment-rules',
    roles: RULE_MAKERS,
    body,
    output: one(paymentRulesOutput),
    perform: (command, { institute, body: { reason: _reason, ...rules } }) =>
      setPaymentRules(ctx, command, institute, toRules(rules)),
    audit: ({ institute, body: { reason } }, rules: PaymentRules) => ({
      what: 'payment_rules.changed',
      about: institute.code,
      why: reason,
      after: paymentRulesOutput.toJson(rules),
    }),
  })
}
