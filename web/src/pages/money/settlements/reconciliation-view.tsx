import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CheckAnswer, ReconciliationAnswer } from '../../../../../src/console/money/books.schemas.ts'
import type { ReconciliationItemAnswer } from '../../../../../src/console/money/reconciliation.list.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { counted, formatCount, formatRupees } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { useFilters, type Filter } from '../../../ui/table/use-filters.ts'
import { formatDay } from '../../../ui/when.tsx'
import { OrderLink } from '../order-link.tsx'
import { ResolveDialogue } from './resolve-dialogue.tsx'

type Status = ReconciliationItemAnswer['status']
const STATUSES: readonly Status[] = ['mismatched', 'expected', 'matched']

const money = (rupees: number | undefined): string => (rupees === undefined ? '' : formatRupees(rupees))

const mono = (text: string | undefined) => text !== undefined && <span className="mono">{text}</span>

/** What is worth a column differs: a report has no due day, an expected payment no report. */
const WITHOUT: Record<Status, readonly string[]> = {
  mismatched: ['id', 'due_on'],
  expected: ['problem', 'utr', 'reported'],
  matched: ['problem', 'provider_ref', 'due_on'],
}

const CELLS = {
  problem: (row: ReconciliationItemAnswer) => (
    <>
      {row.problem}
      <div>{row.order_id !== undefined && <OrderLink id={row.order_id} />}</div>
    </>
  ),
  id: (row: ReconciliationItemAnswer) =>
    row.order_id === undefined ? mono(row.id) : <OrderLink id={row.order_id}>{row.id}</OrderLink>,
  provider_ref: (row: ReconciliationItemAnswer) => mono(row.provider_ref),
  utr: utrOf,
  due_on: (row: ReconciliationItemAnswer) =>
    row.due_on !== undefined && <span className="nowrap">{formatDay(row.due_on)}</span>,
}

const LABELS = {
  status: {
    mismatched: { label: 'Mismatched' },
    expected: { label: 'Expected' },
    matched: { label: 'Matched' },
  },
}

function utrOf({ utr, settlement_id: id }: ReconciliationItemAnswer) {
  if (utr === undefined) return null
  return id === undefined ? <span className="mono nowrap">{utr}</span> : <SettlementLink id={id} utr={utr} />
}

function SettlementLink({ id, utr }: { id: string; utr: string }) {
  const { code: institute } = useInstitute()
  return (
    <Link
      className="mono nowrap"
      to="/i/$institute/money/settlements/$settlement"
      params={{ institute, settlement: id }}
      search={{}}
    >
      {utr}
    </Link>
  )
}

const STATUS: readonly Filter[] = [{ key: 'status', label: 'Status' }]

/** Whether what the provider paid out is what we know, and what it has not paid out yet. */
export function ReconciliationView() {
  const path = `${useInstitutePath()}/money/reconciliation`
  const { values } = useFilters(STATUS)
  const mayResolve = useMay('owner', 'finance')
  const [open, setOpen] = useState<ReconciliationItemAnswer | null>(null)
  const status = STATUSES.find(one => one === values['status']) ?? 'mismatched'
  const sums = useQuery({
    queryKey: ['money-reconciliation', path],
    queryFn: ({ signal }) => get<ReconciliationAnswer>(path, {}, signal),
  })
  return (
    <>
      {sums.isPending && <Loading />}
      {sums.isError && <Failed error={sums.error} retry={() => void sums.refetch()} />}
      {sums.isSuccess && <Sums sums={sums.data} here={status} />}
      <ListTable<ReconciliationItemAnswer>
        name="Reconciliation"
        path={`${path}/items`}
        queryKey="money-reconciliation-items"
        labels={LABELS}
        cells={CELLS}
        without={WITHOUT[status]}
        rowId={row => row.id}
        {...(mayResolve && status === 'mismatched' ? { onOpen: setOpen } : {})}
        query={{ status }}
        empty={EMPTY[status]}
      />
      <Checks path={path} />
      {open !== null && (
        <ResolveDialogue
          path={`${path}/items/${open.id}`}
          what={open.provider_ref ?? open.id}
          refundable={open.can_refund ? money(open.reported) : undefined}
          isTakeable={open.can_take}
          refreshes={['money-reconciliation', 'money-reconciliation-items', 'audit']}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

const EMPTY: Record<Status, { title: string; description: string }> = {
  mismatched: {
    title: 'Everything matches',
    description:
      'Everything that the provider reported agrees with our records. A difference is listed here, with both amounts, until it is resolved.',
  },
  expected: {
    title: 'Nothing is on its way',
    description:
      'Every payment has been reported. A new payment is listed here until the provider has settled it.',
  },
  matched: {
    title: 'Nothing matched yet',
    description: 'Payments and refunds are listed here once the provider’s report agrees with our records.',
  },
}

const CARDS: readonly { status: Status; label: string; note: (sums: ReconciliationAnswer) => string }[] = [
  {
    status: 'mismatched',
    label: 'Mismatched',
    note: ({ mismatched }) =>
      mismatched.count === 0 ? 'Nothing to look into' : `${counted(mismatched.count, 'report')} to look into`,
  },
  {
    status: 'expected',
    label: 'Expected',
    note: ({ expected, overdue }) =>
      overdue.count === 0
        ? counted(expected.count, 'payment')
        : `${counted(expected.count, 'payment')}, ${formatCount(overdue.count)} late`,
  },
  {
    status: 'matched',
    label: 'Matched, last 30 days',
    note: ({ matched }) => counted(matched.count, 'payment'),
  },
]

function Sums({ sums, here }: { sums: ReconciliationAnswer; here: Status }) {
  const { code: institute } = useInstitute()
  return (
    <div className="stats money-stats">
      {CARDS.map(({ status, label, note }) => (
        <Link
          key={status}
          className="stat"
          to="/i/$institute/money"
          params={{ institute }}
          search={{ view: 'reconciliation', status }}
          aria-current={status === here ? 'true' : undefined}
        >
          <div className="stat-label">{label}</div>
          <div className="stat-value">{formatRupees(sums[status].amount)}</div>
          <div className="stat-note">{note(sums)}</div>
        </Link>
      ))}
    </div>
  )
}

/** Runs when asked to: it reads everything. */
function Checks({ path }: { path: string }) {
  const checks = useQuery({
    queryKey: ['money-checks', path],
    queryFn: ({ signal }) => get<CheckAnswer[]>(`${path}/checks`, {}, signal),
    enabled: false,
  })
  return (
    <section aria-label="Checks of the books">
      <h2 className="section-title">Do the books agree with each other?</h2>
      <p className="faint">
        Orders, payments, receipts, refunds, settlements and the ledger are held against each other. Nothing
        is changed.
      </p>
      <Button variant="default" size="xs" loading={checks.isFetching} onClick={() => void checks.refetch()}>
        Run the checks
      </Button>
      {checks.isError && <Failed error={checks.error} retry={() => void checks.refetch()} />}
      {checks.data !== undefined && <CheckList checks={checks.data} />}
    </section>
  )
}

/** Details are in paise, as in the ledger. */
function inRupees(detail: string): string {
  if (!detail.includes(' paise')) return detail
  return detail.replaceAll(/-?\d+/g, paise => formatRupees(Number(paise) / 100)).replaceAll(' paise', '')
}

function CheckList({ checks }: { checks: readonly CheckAnswer[] }) {
  return (
    <ul className="timeline money-checks">
      {checks.map(({ check, differences }) => (
        <li key={check} className={differences.length === 0 ? 'good' : 'bad'}>
          <strong>{check.charAt(0).toUpperCase() + check.slice(1)}</strong>{' '}
          <StatusBadge tone={differences.length === 0 ? 'good' : 'bad'}>
            {differences.length === 0 ? 'Agrees' : counted(differences.length, 'difference')}
          </StatusBadge>
          {differences.slice(0, 20).map(({ subject, detail }) => (
            <div key={subject + detail}>
              <span className="mono">{subject}</span> {inRupees(detail)}
            </div>
          ))}
          {differences.length > 20 && (
            <div className="faint">and {formatCount(differences.length - 20)} more</div>
          )}
        </li>
      ))}
    </ul>
  )
}
