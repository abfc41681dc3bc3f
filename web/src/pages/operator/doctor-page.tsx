import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FindingAnswer } from '../../../../src/app/routes.ts'
import { get } from '../../api/client.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { StaticTable } from '../developers/static-table.tsx'
import { OperatorFrame } from './operator-frame.tsx'

const VERDICTS: Record<FindingAnswer['verdict'], { label: string; tone: Tone; rank: number }> = {
  problem: { label: 'To mend', tone: 'bad', rank: 0 },
  warning: { label: 'To consider', tone: 'waiting', rank: 1 },
  ok: { label: 'Fine', tone: 'good', rank: 2 },
}

/** What `bursar doctor` says: everything that live mode needs, what is to be mended first. */
export function DoctorPage() {
  const doctor = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => get<FindingAnswer[]>('/operator/doctor', {}, signal),
    staleTime: Infinity,
  })
  return (
    <OperatorFrame
      here="doctor"
      actions={
        <Button variant="default" loading={doctor.isFetching} onClick={() => void doctor.refetch()}>
          Look again
        </Button>
      }
    >
      {doctor.isPending && <Loading what="Looking at everything that an installation needs" />}
      {doctor.isError && <Failed error={doctor.error} retry={() => void doctor.refetch()} />}
      {doctor.isSuccess && <Findings findings={doctor.data} />}
    </OperatorFrame>
  )
}

function Findings({ findings }: { findings: readonly FindingAnswer[] }) {
  const sorted = findings.toSorted((one, other) => VERDICTS[one.verdict].rank - VERDICTS[other.verdict].rank)
  const problems = findings.filter(({ verdict }) => verdict === 'problem').length
  return (
    <>
      <p>
        {problems === 0
          ? 'Nothing stands in the way of going live.'
          : `${problems} to mend before real money moves.`}{' '}
        <span className="faint">
          <span className="mono">npx bursar doctor</span> says the same on the command line.
        </span>
      </p>
      <StaticTable name="Findings" headings={['Subject', 'State', 'Found']}>
        {sorted.map(({ subject, verdict, text }) => (
          <tr key={subject}>
            <td>{subject}</td>
            <td>
              <StatusBadge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].label}</StatusBadge>
            </td>
            <td>{text}</td>
          </tr>
        ))}
      </StaticTable>
    </>
  )
}
