import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ErpAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import type { FetchAnswer } from '../../../../src/console/flex/fetch.list.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { When } from '../../ui/when.tsx'
import { FlexFrame } from './flex-frame.tsx'
import { OUTCOME_LABELS, REASON_LABELS } from './texts.ts'

type Branch = ErpAnswer['branches'][number]

/** Whether the ERP of each branch answers when it is asked before a debit, and every time that it was. */
export function FlexErpPage() {
  const path = useInstitutePath()
  const [open, setOpen] = useState<FetchAnswer | null>(null)
  const health = useQuery({
    queryKey: ['flex', path, 'erp'],
    queryFn: ({ signal }) => get<ErpAnswer>(`${path}/flex/erp`, {}, signal),
    refetchInterval: 60_000,
  })
  return (
    <FlexFrame here="erp">
      <h2 className="section-title">Last 24 hours</h2>
      {health.isPending && <Loading />}
      {health.isError && <Failed error={health.error} retry={() => void health.refetch()} />}
      {health.isSuccess && (
        <div className="flex-branches">
          {health.data.branches.map(branch => (
            <BranchCard key={branch.collector_code} branch={branch} />
          ))}
        </div>
      )}
      <h2 className="section-title">Every call</h2>
      <ListTable<FetchAnswer>
        name="Calls to the ERP"
        path={`${path}/flex/erp/fetches`}
        queryKey="flex"
        cells={CELLS}
        labels={LABELS}
        rowId={row => row.id}
        onOpen={setOpen}
        empty={{
          title: 'No calls to the ERP yet',
          description:
            'Before each debit Bursar asks your ERP whether the student is still enrolled and what is owed. Set the address under Developers.',
        }}
      />
      <SideDialogue
        isOpen={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : `Asked for ${open.identifier}`}
      >
        {open !== null && <Fetch row={open} />}
      </SideDialogue>
    </FlexFrame>
  )
}

function verdictOf({ host, found, refused, unavailable }: Branch): { tone: Tone; label: string } {
  if (host === undefined) return { tone: 'plain', label: 'Not asked' }
  const all = found + refused + unavailable
  if (all === 0) return { tone: 'plain', label: 'Quiet' }
  if (unavailable * 2 > all) return { tone: 'bad', label: 'Failing' }
  return unavailable > 0 ? { tone: 'waiting', label: 'Failing at times' } : { tone: 'good', label: 'OK' }
}

function BranchCard({ branch }: { branch: Branch }) {
  const { tone, label } = verdictOf(branch)
  return (
    <section className="flex-branch" aria-label={branch.name}>
      <h3>
        {branch.name} <StatusBadge tone={tone}>{label}</StatusBadge>
      </h3>
      <p className="faint">{branch.host === undefined ? 'No ERP is set up for this branch.' : branch.host}</p>
      <Summary
        fields={[
          { label: 'Answered', value: formatCount(branch.found) },
          { label: 'Refused', value: formatCount(branch.refused) },
          { label: 'No answer', value: formatCount(branch.unavailable) },
        ]}
      />
      {branch.last_at !== undefined && (
        <p className="flex-last">
          Last asked <When at={branch.last_at} />
        </p>
      )}
      {branch.problems.length > 0 && (
        <ul className="flex-problems">
          {branch.problems.slice(0, 5).map(problem => (
            <li key={`${problem.outcome} ${problem.code}`}>
              <strong>{formatCount(problem.count)}</strong> × {problem.message ?? problem.code}{' '}
              {problem.code !== undefined && <span className="mono">{problem.code}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const CELLS = {
  fullname: (row: FetchAnswer) => (
    <span className="flex-student">
      {row.fullname ?? 'Nobody here'}
      <span className="faint">{row.identifier}</span>
    </span>
  ),
  message: (row: FetchAnswer) => (
    <>
      {row.message ?? ''} {row.code !== undefined && <span className="mono">{row.code}</span>}
    </>
  ),
}
const LABELS = {
  reason: Object.fromEntries(Object.entries(REASON_LABELS).map(([key, label]) => [key, { label }])),
  outcome: OUTCOME_LABELS,
}

function Fetch({ row }: { row: FetchAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'When', value: <When at={row.fetched_at} /> },
          { label: 'Student', value: row.fullname },
          { label: 'What for', value: REASON_LABELS[row.reason] ?? row.reason },
          { label: 'Answer', value: OUTCOME_LABELS[row.outcome].label },
          { label: 'Status', value: row.http_status },
          { label: 'Code', value: row.code && <span className="mono">{row.code}</span> },
          { label: 'Took', value: `${formatCount(row.duration_ms)} ms` },
        ]}
      />
      {row.message !== undefined && <p>{row.message}</p>}
      <h3 className="section-title">What it changed here</h3>
      {Array.isArray(row.changes) && row.changes.length > 0 ? (
        <RawJson value={row.changes} label="Changes" />
      ) : (
        <p className="faint">Nothing.</p>
      )}
      <RawJson value={row} />
    </>
  )
}
