import { outputOf, type Shown } from '../../http/wire/output.ts'
import { answer, ok, type Reply } from '../../http/reply.ts'
import type { LimitSetting } from './approval-limit.service.ts'
import { approvalList } from './approval.list.ts'
import { Kept } from './approvals.service.ts'

const limit = outputOf<LimitSetting>()
export const approvalLimitOutput = limit.object({
  above: limit.optional.amount(
    'Rupees of one act above which a second person approves; absent: never.',
    5000,
    ({ limits }) => limits?.perActPaise,
  ),
  above_per_child: limit.optional.amount(
    'Rupees to one child in one academic year, over all acts together, above which a second person approves.',
    5000,
    ({ limits }) => limits?.perChildPaise,
  ),
})
export type ApprovalLimitAnswer = Shown<typeof approvalLimitOutput>

/** The act's own answer; or, with the status that it does not have, the request that waits. */
export function keptOr<Result>(reply: Reply<Result>): Reply<Result | Kept> {
  const httpStatus = reply.answers[201] === undefined ? 201 : 200
  const kept = answer('It waits for a second person.', approvalList.output)
  return {
    answers: { ...reply.answers, [httpStatus]: kept },
    toSuccess: (result, asker) =>
      result instanceof Kept
        ? { ...ok(approvalList.output.toJson(result.approval)), httpStatus }
        : reply.toSuccess(result, asker),
  }
}
