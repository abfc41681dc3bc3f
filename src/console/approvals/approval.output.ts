import { outputOf, type Shown } from '../../http/wire/output.ts'
import { answer } from '../../http/wire/answers.ts'
import { ok, type Reply } from '../../http/reply.ts'
import type { LimitSetting } from './approval-limit.service.ts'
import { APPROVAL_ACTS, APPROVAL_STATES, type Approval } from './approvals.rules.ts'
import { Kept } from './approvals.service.ts'

const out = outputOf<Approval>()
export const approvalOutput = out.object({
  approval_id: out.text('Id of the request.', 'apr_01k9zq4m0ve8sbn6yt2hw3c5da', ({ id }) => id),
  act: out.oneOf(APPROVAL_ACTS, 'What was asked for.'),
  about: out.text('The order or student.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  title: out.text('The same in words.', 'Refund to Asha Rao'),
  amount: out.amount('Rupees.', 5000),
  students: out.optional.integer('How many students it is about.', 12, ({ effect }) => effect?.students),
  before_amount: out.optional.amount(
    'What they have to pay now, rupees together.',
    240000,
    ({ effect }) => effect?.beforePaise,
  ),
  after_amount: out.optional.amount(
    'What they would have to pay, rupees together.',
    200000,
    ({ effect }) => effect?.afterPaise,
  ),
  reason: out.text('Why it was asked for.', 'Left the school'),
  status: out.oneOf(APPROVAL_STATES, 'How it stands.', ({ state }) => state),
  asked_by: out.text('Who asked.', 'meera@school.example.in', ({ makerEmail }) => makerEmail),
  asked_at: out.moment('When.', '2026-11-15T04:32:10.000Z', ({ madeAt }) => madeAt),
  expires_at: out.moment('Until when it can be decided.', '2026-11-22T04:32:10.000Z'),
  decided_by: out.optional.text('Who decided.', 'head@school.example.in', ({ deciderEmail }) => deciderEmail),
  decided_at: out.optional.moment('When.', '2026-11-16T04:32:10.000Z'),
  note: out.optional.text('What was said with the decision.', 'As agreed with the parents'),
})
export type ApprovalAnswer = Shown<typeof approvalOutput>

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
  const kept = answer('It waits for a second person.', approvalOutput)
  return {
    answers: { ...reply.answers, [httpStatus]: kept },
    toSuccess: (result, asker) =>
      result instanceof Kept
        ? { ...ok(approvalOutput.toJson(result.approval)), httpStatus }
        : reply.toSuccess(result, asker),
  }
}
