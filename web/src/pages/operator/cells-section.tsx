import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CellAnswer } from '../../../../src/cells/cells.routes.ts'
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
  const stopped = cells.data.flatMap(cell => cell.stopped_moves)
  return (
    <section aria-label="Cells">
      <h2 className="section-title">Cells</h2>
      <StaticTable
        name="Cells"
        headings={[
          'Cell',
          'State',
          { title: 'Schools', align: 'right' },
          { title: 'Students', align: 'right' },
          { title: 'Paid today', align: 'right' },
          { title: 'Due work', align: 'right' },
          'Version',
        ]}
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
                <td className="right">{formatCount(cell.schools ?? 0)}</td>
                <td className="right">{formatCount(cell.students ?? 0)}</td>
                <td className="right">{formatCount(cell.payments_today ?? 0)}</td>
                <td className="right">{formatCount(cell.due ?? 0)}</td>
                <td>{cell.version === '' ? 'No process is connected' : cell.version}</td>
              </>
            )}
          </tr>
        ))}
      </StaticTable>
      {stopped.length > 0 && (
        <Alert color="red" role="status" mt="md" title="A move has stopped">
          {stopped.map(text => (
            <p key={text}>{text}</p>
          ))}
        </Alert>
      )}
    </section>
  )
}
