import type { Reply } from '../../http/reply.ts'
import type { FlexContext } from '../../flex/context.ts'
import type { Command } from '../../platform/idempotency.ts'
import type { AuditNote } from '../audit/audit.service.ts'
import { keptOr } from './approval.output.ts'
import type { ApprovalAct } from './approvals.rules.ts'
import { noteOf } from './approvals.routes.ts'
import { Kept, performOrKeep, type By } from './approvals.service.ts'
import type { GuardedAct } from './guarded-act.ts'

/** The parts of a console route whose act may need a second person. */
export function guarded<Request extends { reason: string }, Result, Params>(
  ctx: FlexContext,
  act: GuardedAct<Request, Result>,
  {
    name,
    output,
    aboutOf,
  }: { name: ApprovalAct; output: Reply<Result>; aboutOf: (params: Params) => string },
) {
  type Call = By & { params: Params; body: Request }
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
