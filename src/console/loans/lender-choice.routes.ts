import type { FastifyInstance } from 'fastify'
import { one } from '../../http/reply.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { LenderAccount } from '../../loans/lenders/lenders.rules.ts'
import { changeLenderOf, readLenderChoice, type LenderChoice } from '../../loans/lenders/lenders.service.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'

const lender = outputOf<LenderAccount>()
const lenderOutput = lender.object({
  code: lender.text('Its short name.', 'sahakari'),
  title: lender.text('The name that parents know.', 'Sahakari Bank'),
  is_paused: lender.flag('Whether it takes no new applications.', false, ({ pausedAt }) => pausedAt !== null),
  least: lender.amount('The least it lends, in rupees.', 5000, ({ leastPaise }) => leastPaise),
  most: lender.amount('The most it lends, in rupees.', 300000, ({ mostPaise }) => mostPaise),
  yearly_rate_percent: lender.number(
    'Typical interest a year.',
    12,
    ({ yearlyRateBp }) => yearlyRateBp / 100,
  ),
  months: lender.integer('Typical number of EMIs.', 12),
})

const out = outputOf<LenderChoice>()
const choiceOutput = out.object({
  lender: out.optional.text(
    'Where new applications go; absent: nowhere.',
    'sahakari',
    ({ chosen }) => chosen,
  ),
  lenders: out.list('Lenders of this installation.', lenderOutput),
})
export type LenderChoiceAnswer = Shown<typeof choiceOutput>

const body = input({
  lender: optional(field.code('Where new applications go; null: nowhere.', 'sahakari')),
  reason: field.text('Why; stands in the audit log.', 'Decided by the management'),
})

/** Which lender an institute's families are offered. Their data go there, so only an owner decides it. */
export function lenderChoiceRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/lender',
    roles: EVERYONE,
    output: one(choiceOutput),
    answer: ({ institute }) => readLenderChoice(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/lender',
    roles: ['owner'],
    body,
    perform: (command, { institute, body: { lender: code } }) =>
      changeLenderOf(ctx, command, institute, code),
    audit: ({ institute, body: { reason } }, { before, after }) => ({
      what: 'lender.chosen',
      about: institute.code,
      why: reason,
      before: { lender: before },
      after: { lender: after },
    }),
  })
}
