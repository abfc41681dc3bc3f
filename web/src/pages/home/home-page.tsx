import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { DayAmountChart } from '../../ui/bar-chart.tsx'
import { counted, formatCount, formatRupees } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { formatDay } from '../../ui/when.tsx'
import { addDays } from '../flex/days.ts'
import { Stat } from './stat.tsx'

/** What came in, what is still due, what went wrong, what happens next; a cashier begins at the counter. */
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
      {home.isPending && <Loading />}
      {home.isError && <Failed error={home.error} retry={() => void home.refetch()} />}
      {home.isSuccess && <Numbers home={home.data} />}
    </PageFrame>
  )
}

function Numbers({ home }: { home: HomeAnswer }) {
  const { today, settlements } = home
  const month = `${today.slice(0, 8)}01`
  return (
    <>
      <Waiting home={home} />
      <h2 className="section-title">What came in</h2>
      <div className="stats">
        <Stat
          label="Collected today"
          value={formatRupees(home.collected_today.amount)}
          note={collectedNote(home.collected_today)}
          to="/i/$institute/money"
          search={{ view: 'payments', kind: 'payment', captured_from: today, captured_to: today }}
        />
        <Stat
          label="Collected this month"
          value={formatRupees(home.collected_this_month.amount)}
          note={collectedNote(home.collected_this_month)}
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
      </div>
      <Chart home={home} />
      <Due home={home} />
      <Wrong home={home} />
    </>
  )
}

/** What only somebody of this office can do; nothing when nothing waits. */
function Waiting({ home }: { home: HomeAnswer }) {
  const { transfers_to_confirm: transfers, approvals_waiting: approvals, cheques_to_bank: cheques } = home
  const { count, amount, order_id: orderId, respond_by: respondBy } = home.disputes_to_answer
  if (transfers + approvals + cheques + count === 0) return null
  return (
    <>
      <h2 className="section-title">Waiting for you</h2>
      <div className="stats">
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

function Chart({ home }: { home: HomeAnswer }) {
  return (
    <>
      <h2 className="section-title">Collected by day, last 30 days</h2>
      <div className="chart-frame">
        <DayAmountChart days={home.daily} label="Collected by day, last 30 days" />
      </div>
    </>
  )
}

function Due({ home }: { home: HomeAnswer }) {
  const { today, settlements, outstanding, due_next_7_days: due } = home
  const expected = outstanding.on_the_way_amount
  const onTheWay = expected > 0 ? `; ${formatRupees(expected)} is on the way` : ''
  const { overdue, next_on: nextOn } = settlements
  return (
    <>
      <h2 className="section-title">What is still due, and what happens next</h2>
      <div className="stats">
        <Stat
          label="Overdue fees"
          value={formatRupees(outstanding.overdue_amount)}
          note={counted(outstanding.overdue_students, 'student')}
          to="/i/$institute/money"
          search={{ view: 'dues' }}
        />
        <Stat
          label="Owed, all years"
          value={formatRupees(outstanding.amount)}
          note={`${counted(outstanding.students, 'student')}, each counted once${onTheWay}`}
          to="/i/$institute/students"
          search={{ owing: 'yes', status: 'active' }}
        />
        <Stat
          label="Instalments due in 7 days"
          value={formatRupees(due.amount)}
          note={counted(due.count, 'instalment')}
          to="/i/$institute/flex/debits"
          search={{ status: 'coming', from: today, to: addDays(today, 6) }}
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
      </div>
    </>
  )
}

function Wrong({ home }: { home: HomeAnswer }) {
  const { returns, webhooks, erp } = home
  const ratio =
    returns.ratio === undefined ? 'No debit yet' : `${Math.round(returns.ratio * 1_000) / 10} % came back`
  return (
    <>
      <h2 className="section-title">What went wrong</h2>
      <div className="stats">
        <Stat
          label="Bounced debits, last 30 days"
          value={formatCount(returns.bounced)}
          note={returns.bounced > 0 ? `${ratio}, ${formatRupees(returns.bounced_amount)}` : ratio}
          tone={returns.bounced > 0 ? 'bad' : undefined}
          to="/i/$institute/flex/returns"
          search={{}}
        />
        <Stat
          label="Webhooks"
          value={<Health {...webhookHealth(webhooks)} />}
          note={webhookNote(webhooks)}
          to="/i/$institute/developers"
          search={{ view: 'webhooks' }}
        />
        <Stat
          label="ERP, last 24 hours"
          value={<Health {...erpHealth(erp)} />}
          note={
            erp.is_configured
              ? `${formatCount(erp.found + erp.refused)} answers, ${formatCount(erp.unavailable)} failures`
              : 'Bursar asks no ERP'
          }
          to="/i/$institute/developers"
          search={{ view: 'erp' }}
        />
      </div>
    </>
  )
}

type Verdict = { tone: Tone; label: string }

function Health({ tone, label }: Verdict) {
  return <StatusBadge tone={tone}>{label}</StatusBadge>
}

function webhookHealth({ active, failing, disabled }: HomeAnswer['webhooks']): Verdict {
  if (failing > 0 || disabled > 0) return { tone: 'bad', label: 'Failing' }
  return active === 0 ? { tone: 'plain', label: 'None set up' } : { tone: 'good', label: 'OK' }
}

function webhookNote({ active, failing, disabled, given_up: givenUp }: HomeAnswer['webhooks']): string {
  const parts = [
    ...(failing > 0 ? [`${formatCount(failing)} of ${formatCount(active)} failing`] : []),
    ...(disabled > 0 ? [`${formatCount(disabled)} switched off`] : []),
    ...(givenUp > 0
      ? [
          `${givenUp >= 1_000 ? '1,000 or more deliveries' : counted(givenUp, 'delivery', 'deliveries')} given up`,
        ]
      : []),
  ]
  return parts.length > 0 ? parts.join(', ') : counted(active, 'subscription')
}

function erpHealth({ is_configured: isConfigured, found, refused, unavailable }: HomeAnswer['erp']): Verdict {
  if (!isConfigured) return { tone: 'plain', label: 'None set up' }
  if (unavailable > 0)
    return { tone: found + refused > unavailable ? 'waiting' : 'bad', label: 'Failing at times' }
  return found + refused === 0 ? { tone: 'plain', label: 'Not asked' } : { tone: 'good', label: 'OK' }
}

function collectedNote({ count, given_back: back }: HomeAnswer['collected_today']): string {
  const payments = counted(count, 'payment')
  return back > 0 ? `${payments}; ${formatRupees(back)} given back` : payments
}
