import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { APPROVAL_ACTS, APPROVAL_STATES, type Approval } from './approvals.rules.ts'
import { APPROVAL_COLUMNS } from './approvals.store.ts'
import { answer, ok, type Reply } from '../../http/reply.ts'
import { type LimitSetting, Kept } from './approvals.service.ts'

export const APPROVAL_ID = 'apr_01k9zq4m0ve8sbn6yt2hw3c5da'
const out = outputOf<Approval>()

/** What waits for a second person and what became of the rest, newest first: ids sort by creation. */
export const approvalList = defineList({
  file: 'approvals',
  title: 'Approvals',
  noun: ['request', 'requests'],
  columns: {
    approval_id: out.text('Id of the request.', APPROVAL_ID, ({ id }) => id),
    act: out.oneOf(APPROVAL_ACTS, 'What was asked for.'),
    about: out.text('The order or student.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
    title: column(out.text('The same in words.', 'Refund to Asha Rao'), { title: 'What', sort: by.name }),
    amount: column(out.amount('Rupees.', 5000), { title: 'Amount', sort: by.number }),
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
    reason: column(out.text('Why it was asked for.', 'Left the school'), { title: 'Why', only: 'file' }),
    asked_by: column(
      out.text('Who asked.', 'meera@school.example.in', ({ makerEmail }) => makerEmail),
      { title: 'Asked by', sort: by.text('"makerEmail"') },
    ),
    asked_at: column(
      out.moment('When.', '2026-11-15T04:32:10.000Z', ({ madeAt }) => madeAt),
      { title: 'Asked', sort: by.moment('"madeAt"') },
    ),
    status: column(
      out.oneOf(APPROVAL_STATES, 'How it stands.', ({ state }) => state),
      { title: 'Status', sort: by.text('state') },
    ),
    expires_at: out.moment('Until when it can be decided.', '2026-11-22T04:32:10.000Z'),
    decided_by: column(
      out.optional.text('Who decided.', 'head@school.example.in', ({ deciderEmail }) => deciderEmail),
      { title: 'Decided by', only: 'file' },
    ),
    decided_at: column(out.optional.moment('When.', '2026-11-16T04:32:10.000Z'), {
      title: 'Decided',
      only: 'file',
    }),
    note: column(out.optional.text('What was said with the decision.', 'As agreed with the parents'), {
      title: 'Note',
      only: 'file',
    }),
  },
  filters: {
    status: filter(field.oneOf(APPROVAL_STATES, 'Only in this state.'), {
      label: 'Status',
      where: 'a.state = $1',
    }),
  },
  key: 'id',
  rows: {
    select: APPROVAL_COLUMNS,
    from: 'approvals a',
    scope: ({ id }) => [['a.institute_id = $1', id]],
    order: ['id'],
    direction: 'desc',
  },
})

export type ApprovalAnswer = Shown<typeof approvalList.output>

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
