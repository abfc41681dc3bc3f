import type { FastifyInstance } from 'fastify'
import { one, type Reply } from '../../http/reply.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import type { ConsoleContext } from '../context.ts'
import { toRupees } from '../../platform/money.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import type { AuditNote } from '../audit/audit.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { APPROVAL_ID, approvalList, approvalLimitOutput, keptOr } from './approval.list.ts'
import {
  changeLimit,
  readLimit,
  approve,
  refuse,
  Kept,
  performOrKeep,
  type DecidedBy,
} from './approvals.service.ts'
import type { Approval, ApprovalAct } from './approvals.rules.ts'
import type { GuardedAct } from './guarded-act.ts'
import type { Command } from '../../platform/idempotency.ts'

const params = input({ approval_id: field.resourceId('Id of the request.', APPROVAL_ID) })
const approveInput = input({
  note: optional(field.text('For the person who asked.', 'As agreed with the parents')),
})
const declineInput = input({
  reason: field.text('Why, for the person who asked.', 'The fee was not paid twice.'),
})

/** What waits for a second person. */
export function approvalRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addList(app, ctx, { url: '/approvals', list: approvalList })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/approvals/:approval_id/approve',
    roles: MONEY_HANDLERS,
    params,
    body: approveInput,
    output: one(approvalList.output),
    perform: (command, { params: { approvalId: id }, body: { note }, ...by }) =>
      approve(ctx, command, by, { id, note }),
    audit: (_call, approval) => noteOf(approval),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/approvals/:approval_id/decline',
    roles: MONEY_HANDLERS,
    params,
    body: declineInput,
    output: one(approvalList.output),
    perform: (command, { params: { approvalId: id }, body: { reason: note }, ...by }) =>
      refuse(ctx, command, by, { id, decision: 'declined', note }),
    audit: (_call, approval) => noteOf(approval),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/approvals/:approval_id/withdraw',
    roles: MONEY_HANDLERS,
    params,
    output: one(approvalList.output),
    perform: (command, { params: { approvalId: id }, ...by }) =>
      refuse(ctx, command, by, { id, decision: 'withdrawn', note: null }),
    audit: (_call, approval) => noteOf(approval),
  })
  addLimit(app, ctx)
}

function addLimit(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleRead(app, ctx, {
    url: '/approval-limit',
    roles: EVERYONE,
    output: one(approvalLimitOutput),
    answer: ({ institute }) => readLimit(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/approval-limit',
    roles: ['owner'],
    body: input({
      above: optional(
        field.amount('Rupees of one act above which a second person approves; null: never.', 5000),
      ).as('perActPaise'),
      above_per_child: optional(
        field.amount(
          'The same of all acts together for one child in one academic year; absent: as much as `above`.',
          5000,
        ),
      ).as('perChildPaise'),
      reason: field.text('Why; stands in the audit log.', 'Decided by the management'),
    }),
    perform: (command, { institute, body: { perActPaise, perChildPaise } }) =>
      changeLimit(ctx, command, institute, {
        limits: perActPaise === null ? null : { perActPaise, perChildPaise: perChildPaise ?? perActPaise },
      }),
    audit: ({ institute, body: { reason } }, { before, after }) => ({
      what: 'approval_limit.changed',
      about: institute.code,
      why: reason,
      before: approvalLimitOutput.toJson(before),
      after: approvalLimitOutput.toJson(after),
    }),
  })
}

/** The audit log says the same when a request is made and when it is decided. */
export function noteOf({ id, state, act, about, title, amountPaise, note, reason }: Approval): AuditNote {
  return {
    what: state === 'waiting' ? 'approval.asked' : `approval.${state}`,
    about,
    why: state === 'waiting' ? reason : (note ?? undefined),
    after: { approval_id: id, act, title, amount: toRupees(amountPaise) },
  }
}

/** The parts of a console route whose act may need a second person. */
export function guarded<Request extends { reason: string }, Result, Params>(
  ctx: ConsoleContext,
  act: GuardedAct<Request, Result>,
  {
    name,
    output,
    aboutOf,
  }: { name: ApprovalAct; output: Reply<Result>; aboutOf: (params: Params) => string },
) {
  type Call = DecidedBy & { params: Params; body: Request }
  return {
    output: keptOr(output),
    perform: (command: Command<Result | Kept>, { params, body: request, ...by }: Call) =>
      performOrKeep<Request, Result>(ctx, command, by, { name, about: aboutOf(params), request }),
    audit: ({ institute, params, body }: Call, result: Result | Kept): AuditNote =>
      result instanceof Kept
        ? noteOf(result.approval)
        : act.note({ institute, about: aboutOf(params) }, body, result),
  }
}
