import type { FastifyInstance } from 'fastify'
import { paymentRulesOutput } from '../../dues/dues.schemas.ts'
import { paymentRulesInput, toRules } from '../../dues/payment-rules.input.ts'
import { getPaymentRules, type PaymentRules } from '../../dues/payment-rules.service.ts'
import { field, input, type Read } from '../../http/wire/input.ts'
import type { FlexContext } from '../../flex/context.ts'
import { keptOr } from '../approvals/approval.output.ts'
import { noteOf } from '../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../approvals/approvals.service.ts'
import { paymentRulesAct } from '../approvals/rule-acts.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'

const RULE_MAKERS: readonly ConsoleRole[] = ['owner', 'finance']
const body = input({
  ...paymentRulesInput.fields,
  reason: field.text('Why; stands in the audit log.', 'Decided by the management'),
})

const requestOf = ({ reason, ...rules }: Read<typeof body>) => ({ ...toRules(rules), reason })

/** How parents may pay what is due, and what becomes of money beyond it. */
export function paymentRulesRoutes(app: FastifyInstance, ctx: FlexContext): void {
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
    output: keptOr(one(paymentRulesOutput)),
    perform: (command, { body, ...by }) =>
      performOrKeep(ctx, command, by, {
        name: 'payment_rules',
        about: by.institute.code,
        request: requestOf(body),
      }),
    audit: ({ institute, body }, result: PaymentRules | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : paymentRulesAct.note({ institute, about: institute.code }, requestOf(body), result),
  })
}
