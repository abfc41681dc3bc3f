import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { RolloverAnswer } from '../../../../../src/students/rollover/rollover.schemas.ts'
import { list } from '../../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { formatCount } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { When, yearName } from '../../../ui/when.tsx'

export const ROLLOVER_LABELS = {
  running: { label: 'Running', tone: 'waiting' },
  done: { label: 'Done', tone: 'good' },
  stopped: { label: 'Stopped', tone: 'plain' },
} as const

/** Earlier ones, and the one under way; nothing until there is one. */
export function RolloverList() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const rollovers = useQuery({
    queryKey: ['rollovers', path],
    queryFn: ({ signal }) => list<RolloverAnswer>(`${path}/rollovers`, { limit: '10' }, signal),
  })
  const rows = rollovers.data?.rows ?? []
  if (rows.length === 0) return null
  return (
    <ShortTable
      name="Rollovers so far"
      rows={rows}
      rowId={one => one.id}
      columns={[
        {
          title: 'New year',
          cell: one => (
            <Link
              to="/i/$institute/students/rollover/$rollover"
              params={{ institute, rollover: one.id }}
              search={{}}
            >
              {yearName(one.to_academic_year_start, one.to_academic_year_end)}
            </Link>
          ),
        },
        {
          title: 'Status',
          cell: ({ state }) => (
            <StatusBadge tone={ROLLOVER_LABELS[state].tone}>{ROLLOVER_LABELS[state].label}</StatusBadge>
          ),
        },
        { title: 'Registered', isAmount: true, cell: one => formatCount(one.registered) },
        {
          title: 'To look at',
          isAmount: true,
          cell: one => formatCount(one.problem_count + one.not_carried),
        },
        { title: 'Started', cell: one => <When at={one.created_at} /> },
      ]}
    />
  )
}
