import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FetchAnswer } from '../../../../../src/console/flex/fetch.list.ts'
import { list } from '../../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { formatCount } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { When } from '../../../ui/when.tsx'
import { OUTCOME_LABELS, REASON_LABELS } from '../../flex/texts.ts'
import { StaticTable } from '../static-table.tsx'

/** The last few calls; all of them are on the ERP page of Flex. */
export function LastFetches() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const fetches = useQuery({
    queryKey: ['flex', path, 'last fetches'],
    queryFn: ({ signal }) => list<FetchAnswer>(`${path}/flex/erp/fetches`, { limit: '10' }, signal),
  })
  return (
    <>
      <h2 className="section-title">Last calls</h2>
      {fetches.isPending && <Loading />}
      {fetches.isError && <Failed error={fetches.error} retry={() => void fetches.refetch()} />}
      {fetches.isSuccess && fetches.data.rows.length === 0 && (
        <p className="faint">No calls to the ERP yet.</p>
      )}
      {fetches.isSuccess && fetches.data.rows.length > 0 && (
        <>
          <StaticTable
            name="Last calls to the ERP"
            headings={[
              'When',
              'Student',
              'What for',
              'Answer',
              'What it said',
              { title: 'Took', align: 'right' },
            ]}
          >
            {fetches.data.rows.map(row => (
              <tr key={row.id}>
                <td>
                  <When at={row.fetched_at} />
                </td>
                <td>{row.fullname ?? row.identifier}</td>
                <td>{REASON_LABELS[row.reason] ?? row.reason}</td>
                <td>
                  <StatusBadge tone={OUTCOME_LABELS[row.outcome].tone}>
                    {OUTCOME_LABELS[row.outcome].label}
                  </StatusBadge>
                </td>
                <td>{row.message ?? row.code}</td>
                <td className="right nowrap">{formatCount(row.duration_ms)} ms</td>
              </tr>
            ))}
          </StaticTable>
          <p className="spaced">
            <Link to="/i/$institute/flex/erp" params={{ institute }} search={{}}>
              Every call
            </Link>
          </p>
        </>
      )}
    </>
  )
}
