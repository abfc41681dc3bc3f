import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ComingAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { counted, formatCount, formatRupees } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay, formatMoment, formatShortDay } from '../../ui/when.tsx'
import { addDays, weekdayName } from './days.ts'
import { FlexFrame } from './flex-frame.tsx'
import { RAIL_LABELS } from './texts.ts'

type Day = ComingAnswer['days'][number]
type Obstacle = ComingAnswer['waiting'][number]

/** The next working days: ERP calls, notices, presentations, and what blocks them. */
export function FlexComingPage() {
  const path = useInstitutePath()
  const coming = useQuery({
    queryKey: ['flex', path, 'coming'],
    queryFn: ({ signal }) => get<ComingAnswer>(`${path}/flex/coming`, {}, signal),
    refetchInterval: 60_000,
  })
  return (
    <FlexFrame here="coming">
      {coming.isPending && <Loading what="Looking ahead" />}
      {coming.isError && <Failed error={coming.error} retry={() => void coming.refetch()} />}
      {coming.isSuccess && <Coming coming={coming.data} />}
    </FlexFrame>
  )
}

function Coming({ coming }: { coming: ComingAnswer }) {
  const busy = coming.days.filter(isBusy)
  const idle = coming.days.filter(day => !isBusy(day))
  return (
    <>
      <p>
        The next five working days, to {formatDay(coming.to)}, as things stand now. Before each debit the ERP
        is asked, and its answer may still change the amount.
      </p>
      {coming.waiting.length > 0 && (
        <section aria-label="Overdue">
          <h2 className="section-title">Overdue</h2>
          <Obstacles obstacles={coming.waiting} day={undefined} today={coming.from} />
        </section>
      )}
      <ol className="flex-coming">
        {busy.map(day => (
          <ComingDay key={day.day} day={day} today={coming.from} />
        ))}
      </ol>
      {idle.length > 0 && (
        <p className="faint">
          Nothing is to be presented on {idle.map(({ day }) => formatShortDay(day)).join(', ')}.
        </p>
      )}
    </>
  )
}

function isBusy({ runs, in_the_way: inTheWay }: Day): boolean {
  return runs.length > 0 || inTheWay.length > 0
}

function ComingDay({ day, today }: { day: Day; today: string }) {
  const { code: institute } = useInstitute()
  return (
    <li>
      <h2 className="section-title">
        <Link to="/i/$institute/flex/days/$day" params={{ institute, day: day.day }}>
          {weekdayName(day.day)}, {formatDay(day.day)}
        </Link>
        {!day.is_working_day && (
          <>
            {' '}
            <StatusBadge tone="plain">Banks are closed</StatusBadge>
          </>
        )}
      </h2>
      {day.runs.map(run => (
        <Run key={run.rail} run={run} />
      ))}
      <Obstacles obstacles={day.in_the_way} day={day.day} today={today} />
    </li>
  )
}

function Run({ run }: { run: Day['runs'][number] }) {
  const { announced, to_ask: toAsk } = run
  const count = announced.count + toAsk.count
  const amount = (Math.round(announced.amount * 100) + Math.round(toAsk.amount * 100)) / 100
  return (
    <div className="flex-run">
      <p className="flex-run-sum">
        <strong>{formatRupees(amount)}</strong> in {counted(count, 'debit')} by {RAIL_LABELS[run.rail]}
      </p>
      <dl className="summary">
        <Step label="ERP is asked from" value={formatMoment(run.asked_from)}>
          {toAsk.count > 0
            ? `${formatCount(toAsk.count)} to ask, ${formatRupees(toAsk.amount)}`
            : 'All have been asked'}
        </Step>
        <Step label="Families are notified by" value={formatMoment(run.told_by)}>
          {announced.count > 0
            ? `${formatCount(announced.count)} notified, ${formatRupees(announced.amount)}`
            : 'Nobody has been notified yet'}
        </Step>
        <Step label="Presented" value={formatMoment(run.presented_at)}>
          {''}
        </Step>
      </dl>
    </div>
  )
}

function Step({ label, value, children }: { label: string; value: string; children: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value}
        <div className="faint">{children}</div>
      </dd>
    </div>
  )
}

function Obstacles({
  obstacles,
  day,
  today,
}: {
  obstacles: readonly Obstacle[]
  day: string | undefined
  today: string
}) {
  if (obstacles.length === 0) return null
  return (
    <ul className="flex-obstacles" aria-label="In the way">
      {obstacles.map(obstacle => (
        <li key={obstacle.kind}>
          <div>
            <StatusBadge tone={obstacle.kind === 'mandate_ended' ? 'bad' : 'waiting'}>
              {obstacle.title}
            </StatusBadge>{' '}
            <strong>{formatCount(obstacle.count)}</strong>, {formatRupees(obstacle.amount)}{' '}
            <Where kind={obstacle.kind} day={day} today={today} />
          </div>
          <div className="faint">{obstacle.text}</div>
        </li>
      ))}
    </ul>
  )
}

const PLANS: Partial<Record<Obstacle['kind'], Record<string, string>>> = {
  held: { held: 'yes' },
  setup: { status: 'setup' },
  locked: { status: 'locked' },
  mandate_ended: { status: 'locked' },
  student_transferred: { status: 'locked' },
}

/** Skipped instalments stay on the day they were planned for. */
const LOOK_BACK_DAYS = 300

function Where({ kind, day, today }: { kind: Obstacle['kind']; day: string | undefined; today: string }) {
  const { code: institute } = useInstitute()
  const search = PLANS[kind]
  if (search !== undefined)
    return (
      <Link to="/i/$institute/flex/plans" params={{ institute }} search={search}>
        Show the plans
      </Link>
    )
  if (kind === 'erp_away')
    return (
      <Link to="/i/$institute/flex/erp" params={{ institute }} search={{ outcome: 'unavailable' }}>
        Show what the ERP said
      </Link>
    )
  if (kind === 'skipped')
    return (
      <Link
        to="/i/$institute/flex/debits"
        params={{ institute }}
        search={{ status: 'skipped', from: addDays(today, -LOOK_BACK_DAYS), to: day ?? today }}
      >
        Show them
      </Link>
    )
  if (day === undefined) return null
  return (
    <Link to="/i/$institute/flex/days/$day" params={{ institute, day }}>
      Show the day
    </Link>
  )
}
