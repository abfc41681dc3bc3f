import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { DISPUTE_ID, disputeFields } from './dispute.schemas.ts'
import { DISPUTE_STATUSES, statesOf, type Dispute } from './disputes.rules.ts'
import { DISPUTES, type DisputeRecord } from './disputes.store.ts'

const {
  id,
  respond_by,
  status,
  amount,
  mode,
  provider,
  provider_reference,
  reason,
  opened_at,
  closed_at,
  ...others
} = disputeFields
const out = outputOf<DisputeRecord>()

/** What payers question at their banks, the newest first. */
export const disputeList = defineList({
  file: 'disputes',
  title: 'Disputes',
  noun: ['dispute', 'disputes'],
  columns: {
    id,
    respond_by: column(respond_by, { title: 'Answer by (IST)', sort: by.moment }),
    status: column(status, { title: 'Status', sort: by.text('state') }),
    opened_at: column(opened_at, { title: 'Opened (IST)', sort: by.moment, only: 'file' }),
    closed_at: column(closed_at, { title: 'Decided (IST)', only: 'file' }),
    amount: column(amount, { title: 'Amount', sort: by.number }),
    payer: column(out.text('Who paid.', 'Asha Rao'), { title: 'Payer', sort: by.name }),
    student_name: column(out.optional.text('Whose fees it paid; present only if known.', 'Kabir Rao'), {
      title: 'Student',
      only: 'file',
    }),
    mode: column(mode, { title: 'Mode', only: 'file' }),
    provider: column(provider, { title: 'Provider', only: 'file' }),
    provider_reference: column(provider_reference, { title: "Provider's id", only: 'file' }),
    reason: column(reason, {
      title: 'Reason',
      only: 'file',
      cell: (row: Pick<Dispute, 'reason'>) => row.reason,
    }),
    ...others,
  },
  filters: {
    status: filter(field.oneOf(DISPUTE_STATUSES, 'Only those that stand so.'), {
      label: 'Status',
      where: one => ['d.state = any($1)', statesOf(one)],
    }),
    order_id: filter(field.resourceId('Only of this order or link.', ORDER_ID), { where: 'o.id = $1' }),
    from: filter(field.rangeStart('Opened at or after; a bare day begins at midnight in India.'), {
      label: 'Opened from',
      where: 'd.opened_at >= $1',
    }),
    to: filter(
      field.rangeEnd('Opened before this moment, or up to the end of this day in India.').as('before'),
      { label: 'Opened up to', where: 'd.opened_at < $1' },
    ),
    collector_code: filter(
      field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
      {
        label: 'Branch',
        choices: 'branches',
        where: (code, _now, institute: Institute) => ['o.collector_code = $1', branchFor(institute, code)],
      },
    ),
    needs_answer: filter(field.oneOf(['yes'], 'Only those that wait for an answer at the provider.'), {
      label: 'Answer',
      where: () => [`d.state in ('open', 'action_required')`],
    }),
  },
  rows: {
    ...DISPUTES,
    scope: institute => [['d.institute_id = $1', institute.id]],
    order: ['opened_at', 'id'],
    direction: 'desc',
  },
})
export type DisputeAnswer = Shown<typeof disputeList.output>

const { needs_answer: _, ...publicFilters } = disputeList.filterQuery.fields
/** The API's filters. */
export const listDisputesQuery = query({
  ...publicFilters,
  limit: field.pageSize(),
  cursor: field.cursor(DISPUTE_ID),
})
