import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../platform/names.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import type { Report } from '../reports/export.service.ts'
import { moment, money, text, type Column } from '../reports/reports.rules.ts'
import type { Approval } from './approvals.rules.ts'
import { allApprovals, type ApprovalFilter } from './approvals.store.ts'

export const APPROVAL_SORTING: Sorting = {
  key: 'id',
  columns: {
    title: by.name('title'),
    amount: by.number('"amountPaise"'),
    asked: by.moment('"madeAt"'),
    status: by.text('state'),
  },
}

const COLUMNS: readonly Column<Approval>[] = [
  text('What', row => row.title),
  money('Amount', row => row.amountPaise),
  text('Why', row => row.reason),
  text('Asked by', row => row.makerEmail),
  moment('Asked', row => row.madeAt),
  text('Status', row => readableComponent(row.state.toUpperCase())),
  text('Decided by', row => row.deciderEmail),
  moment('Decided', row => row.decidedAt),
  text('Note', row => row.note),
]

export function approvalsReport(institute: Institute, filter: ApprovalFilter): Report<Approval> {
  const query = allApprovals(institute.id, filter)
  return { name: 'approvals', title: 'Approvals', query, columns: COLUMNS }
}
