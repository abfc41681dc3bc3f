import { useQuery } from '@tanstack/react-query'
import type { CellAnswer } from '../../../../src/cells/cells.output.ts'
import { get } from '../../api/client.ts'
import { formatCount } from '../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { StaticTable } from '../developers/static-table.tsx'

const STATES: Record<CellAnswer['state'], { label: string; tone: Tone }> = {
  open: { label: 'Open', tone: 'good' },
  draining: { label: 'Takes no new schools', tone: 'waiting' },
  away: { label: 'Away', tone: 'bad' },
}

/** Every cell of the directory, where this installation keeps it. */
export function CellsSection() {
  const cells = useQuery({
    queryKey: ['cells'],
    queryFn: ({ signal }) => get<CellAnswer[]>('/operator/cells', {}, signal),
    refetchInterval: 10_000,
  })
  if (!cells.isSuccess || cells.data.length === 0) return null
  return (
    <section aria-label="Cells">
      <h2 className="section-title">Cells</h2>
      <StaticTable
        name="Cells"
        headings={['Cell', 'State', 'Schools', 'Students', 'Paid today', 'Due work', 'Version']}
      >
        {cells.data.map(cell => (
          <tr key={cell.name}>
            <td>{cell.name}</td>
            <td>
              <StatusBadge tone={STATES[cell.state].tone}>{STATES[cell.state].label}</StatusBadge>
            </td>
            {cell.state === 'away' ? (
              <td colSpan={5}>{cell.reason}</td>
            ) : (
              <>
                <td>{formatCount(cell.schools ?? 0)}</td>
                <td>{formatCount(cell.students ?? 0)}</td>
                <td>{formatCount(cell.payments_today ?? 0)}</td>
                <td>{formatCount(cell.due ?? 0)}</td>
                <td>{cell.version}</td>
              </>
            )}
          </tr>
        ))}
      </StaticTable>
    </section>
  )
}
