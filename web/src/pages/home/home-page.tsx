import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { DayAmountChart } from '../../ui/chart/day-amounts.tsx'
import { counted, formatCount, formatRupees } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Failed } from '../../ui/states.tsx'
import { formatDay } from '../../ui/when.tsx'
import { addDays } from '../flex/days.ts'
import { Ahead } from './ahead.tsx'
import { FirstSteps } from './first-steps.tsx'
import './home.css'
import { Owed } from './owed.tsx'
import { Stat } from './stat.tsx'
import { Technical } from './technical.tsx'
import { Today } from './today.tsx'
import { Year } from './year.tsx'

/**
 * How far the year is, what came in today, what is late and expected, and what waits for somebody. A cashier begins at the counter, a developer with
 * what is technical; others see that only where it fails.
 */
export function HomePage() {
  const { code: institute } = useInstitute()
  const isCashier = useMay('cashier')
  return isCashier ? <Navigate to="/i/$institute/counter" params={{ institute }} replace /> : <Figures />
}

function Figures() {
  const path = useInstitutePath()
  const home = useQuery({
    queryKey: ['home', path],
    queryFn: ({ signal }) => get<HomeAnswer>(`${path}/home`, {}, signal),
    refetchInterval: 60_000,
  })
  return (
    <PageFrame title="Home">
      {home.isPending && <Waits />}
      {home.isError && <Failed error={home.error} retry={() => void home.refetch()} />}
      {home.isSuccess && <Numbers home={home.data} />}
    </PageFrame>
  )
}

/** As high as what comes, so that nothing jumps. */
function Waits() {
  return (
    <div role="status" aria-label="Loading…">
      <div className="skeleton" style={{ height: 220 }} />
      <div className="home-pair">
        <div className="skeleton" style={{ height: 260 }} />
        <div className="skeleton" style={{ height: 260 }} />
      </div>
    </div>
  )
}

function Numbers({ home }: { home: HomeAnswer }) {
  const isDeveloper = useMay('developer')
  const { first_steps: steps } = home
  return (
    <>
      <Waiting home={home} />
      {steps !== undefined && <FirstSteps steps={steps} />}
      {isDeveloper && <Technical home={home} isWhole />}
      {(steps === undefined || home.outstanding.amount > 0) && <Money home={home} />}
      {!isDeveloper && <Technical home={home} />}
    </>
  )
}

function Money({ home }: { home: HomeAnswer }) {
  return (
    <>
      <Year home={home} />
      <div className="home-pair">
        <Today home={home} />
        <Owed home={home} />
      </div>
      <h2 className="section-title">Collected by day, last 30 days</h2>
      <div className="chart-frame">
        <DayAmountChart days={home.daily} label="Collected by day, last 30 days" />
      </div>
      <Ahead home={home} />
      <Bank home={home} />
    </>
  )
}

function Bank({ home }: { home: HomeAnswer }) {
  const { today, settlements, returns, due_next_7_days: due, collected_this_month: collected } = home
  const month = `${today.slice(0, 8)}01`
  const { overdue, next_on: nextOn } = settlements
  const bounced =
    returns.ratio === undefined
      ? 'No debit yet'
      : `${Math.round(returns.ratio * 1_000) / 10} % came back, ${formatRupees(returns.bounced_amount)}`
  return (
    <>
      <h2 className="section-title">This month and the bank</h2>
      <div className="stats">
        <Stat
          label="Collected this month"
          value={formatRupees(collected.amount)}
          note={collectedNote(collected)}
          to="/i/$institute/money"
          search={{ view: 'payments', kind: 'payment', captured_from: month, captured_to: today }}
        />
        <Stat
          label="Settled to bank this month"
          value={formatRupees(settlements.received_this_month.amount)}
          note={counted(settlements.received_this_month.count, 'settlement')}
          to="/i/$institute/money"
          search={{ view: 'settlements', from: month }}
        />
        <Stat
          label="On its way to the bank"
          value={formatRupees(settlements.expected.amount)}
          note={
            overdue.count > 0
              ? `${formatRupees(overdue.amount)} is late; before fees and refunds`
              : nextOn === undefined
                ? 'Nothing expected'
                : `Next on ${formatDay(nextOn)}; before fees and refunds`
          }
          tone={overdue.count > 0 ? 'bad' : undefined}
          to="/i/$institute/money"
          search={{ view: 'expected' }}
        />
        <Stat
          label="Instalments due in 7 days"
          value={formatRupees(due.amount)}
          note={counted(due.count, 'instalment')}
          to="/i/$institute/flex/debits"
          search={{ status: 'coming', from: today, to: addDays(today, 6) }}
        />
        {returns.bounced > 0 && (
          <Stat
            label="Bounced debits, last 30 days"
            value={formatCount(returns.bounced)}
            note={bounced}
            tone="bad"
            to="/i/$institute/flex/returns"
            search={{}}
          />
        )}
      </div>
    </>
  )
}

/** What only somebody of this office can do; nothing when nothing waits. */
function Waiting({ home }: { home: HomeAnswer }) {
  const { transfers_to_confirm: transfers, approvals_waiting: approvals, cheques_to_bank: cheques } = home
  const { leavers_to_settle: leavers } = home
  const { count, amount, order_id: orderId, respond_by: respondBy } = home.disputes_to_answer
  if (transfers + approvals + cheques + leavers + count === 0) return null
  return (
    <>
      <h2 className="section-title">Waiting for you</h2>
      <div className="stats waiting">
        {count > 0 && (
          <Stat
            label="Disputes to answer at the provider"
            value={respondBy === undefined ? formatCount(count) : `By ${formatDay(respondBy)}`}
            note={`${counted(count, 'payment')}, ${formatRupees(amount)}; without an answer it goes back`}
            {...(count === 1 && orderId !== undefined
              ? { to: '/i/$institute/orders/$order', params: { order: orderId }, search: {} }
              : { to: '/i/$institute/money', search: { view: 'disputes', needs_answer: 'yes' } })}
          />
        )}
        {approvals > 0 && (
          <Stat
            label="Requests to approve"
            value={formatCount(approvals)}
            note="Refunds, concessions, waivers or lower fees"
            to="/i/$institute/approvals"
            search={{ status: 'waiting' }}
          />
        )}
        {cheques > 0 && (
          <Stat
            label="Post-dated cheques to bank"
            value={formatCount(cheques)}
            note="Their day has come"
            to="/i/$institute/counter"
            search={{ view: 'post-dated' }}
          />
        )}
        {leavers > 0 && (
          <Stat
            label="Leavers to settle"
            value={formatCount(leavers)}
            note="They left with money open"
            to="/i/$institute/students/leavers"
            search={{ state: 'to_settle' }}
          />
        )}
        {transfers > 0 && (
          <Stat
            label="Loan transfers to confirm"
            value={formatCount(transfers)}
            note="Look for them on the bank statement"
            to="/i/$institute/loans"
            search={{}}
          />
        )}
      </div>
    </>
  )
}

function collectedNote({ count, given_back: back }: HomeAnswer['collected_today']): string {
  const payments = counted(count, 'payment')
  return back > 0 ? `${payments}; ${formatRupees(back)} given back` : payments
}
