import type { FastifyInstance } from 'fastify'
import type { LinkScope } from '../../dues/due-links.rules.ts'
import { one } from '../../http/reply.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { badField } from '../../platform/errors.ts'
import { toRupees } from '../../platform/money.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { bulkOutput } from '../lists/list.schemas.ts'
import { linksInput } from './students.input.ts'
import { makeLinks, type MadeLinks } from './links.service.ts'
import { FINANCE_ROLES } from './students.rules.ts'

/** Payment links for students that were picked; each has its own entry in the audit log. */
export function studentLinkRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students/payment-links',
    roles: FINANCE_ROLES,
    body: linksInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { studentIds, channels, language, ...body } }) =>
      makeLinks(ctx, command, { institute, studentIds }, { asked: scopeOf(body), channels, language }),
    audit: ({ body: { scope, until, channels, language } }, { links }: MadeLinks) =>
      links.map(({ studentId, orderId, amountPaise, isNew }) =>
        isNew
          ? {
              what: 'order.made',
              about: studentId,
              after: {
                order_id: orderId,
                amount: toRupees(amountPaise),
                scope,
                ...(until === null ? {} : { until }),
                channels,
              },
            }
          : { what: 'order.sent', about: orderId, after: { channels, language } },
      ),
  })
}

function scopeOf({ scope, until }: { scope: LinkScope['scope']; until: string | null }): LinkScope {
  if (scope !== 'due_by') return { scope }
  if (until === null) throw badField('until', 'is required with due_by')
  return { scope, until }
}
