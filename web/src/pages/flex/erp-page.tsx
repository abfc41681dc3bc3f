import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ErpAnswer, FetchAnswer } from '../../../../src/console/flex/erp.output.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../ui/when.tsx'
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
      <DataTable<FetchAnswer>
        name="Calls to the ERP"
        path={`${path}/flex/erp/fetches`}
        queryKey="flex"
        columns={COLUMNS}
        rowId={row => row.id}
        filters={FILTERS}
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

const COLUMNS: readonly Column<FetchAnswer>[] = [
  { key: 'at', title: 'When', text: row => formatMoment(row.at), render: row => <When at={row.at} /> },
  {
    key: 'student',
    title: 'Student',
    text: row => `${row.fullname ?? ''} (${row.identifier})`,
    render: row => (
      <span className="flex-student">
        {row.fullname ?? 'Nobody here'}
        <span className="faint">{row.identifier}</span>
      </span>
    ),
  },
  { key: 'reason', title: 'What for', text: row => REASON_LABELS[row.reason] ?? row.reason },
  {
    key: 'outcome',
    title: 'Answer',
    text: row => OUTCOME_LABELS[row.outcome].label,
    render: row => (
      <StatusBadge tone={OUTCOME_LABELS[row.outcome].tone}>{OUTCOME_LABELS[row.outcome].label}</StatusBadge>
    ),
  },
  {
    key: 'said',
    title: 'What it said',
    text: row => row.message ?? row.code ?? '',
    render: row => (
      <>
        {row.message ?? ''} {row.code !== undefined && <span className="mono">{row.code}</span>}
      </>
    ),
  },
  { key: 'status', title: 'HTTP', align: 'right', text: row => String(row.http_status ?? '') },
  { key: 'took', title: 'Took', align: 'right', text: row => `${formatCount(row.duration_ms)} ms` },
  { key: 'branch', title: 'Branch', text: row => row.collector_code ?? '' },
]

const FILTERS: readonly Filter[] = [
  {
    key: 'outcome',
    label: 'Answer',
    options: Object.entries(OUTCOME_LABELS).map(([value, { label }]) => ({ value, label })),
  },
  { key: 'collector_code', label: 'Branch code' },
]

function Fetch({ row }: { row: FetchAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'When', value: <When at={row.at} /> },
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
