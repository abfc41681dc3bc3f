import { Group } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { CalendarAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { formatCount, formatRupees, formatShortRupees } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { formatDay } from '../../ui/when.tsx'
import { addMonths, isMonth, monthName, weekdayName, weekdayOf } from './days.ts'
import { FlexFrame } from './flex-frame.tsx'
import { MonthLink } from './month-link.tsx'
import { DayAmounts } from './sums.tsx'
import { DEBIT_ORDER, DEBIT_LABELS } from './texts.ts'

type Day = CalendarAnswer['days'][number]
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** A month of debits: planned ones and the results of past ones. */
export function FlexPage() {
  const path = useInstitutePath()
  const { month: asked } = useSearch({ strict: false })
  const month = isMonth(asked) ? asked : undefined
  const calendar = useQuery({
    queryKey: ['flex', path, 'calendar', month ?? 'now'],
    queryFn: ({ signal }) =>
      get<CalendarAnswer>(
        `${path}/flex/calendar`,
        { month: month === undefined ? undefined : `${month}-01` },
        signal,
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <FlexFrame here="calendar">
      {calendar.isPending && <Loading what="Loading the month" />}
      {calendar.isError && <Failed error={calendar.error} retry={() => void calendar.refetch()} />}
      {calendar.isSuccess && <Month calendar={calendar.data} />}
    </FlexFrame>
  )
}

function Month({ calendar }: { calendar: CalendarAnswer }) {
  const { month, today, days } = calendar
  const isNow = today.startsWith(month)
  return (
    <>
      <Group justify="space-between" mb="sm">
        <h2 className="section-title flex-month">{monthName(month)}</h2>
        <Group gap="xs">
          <MonthLink month={addMonths(month, -1)} label="Previous month" text="‹" />
          {!isNow && <MonthLink month={today.slice(0, 7)} text="This month" />}
          <MonthLink month={addMonths(month, 1)} label="Next month" text="›" />
        </Group>
      </Group>
      <MonthTotals days={days} />
      <div className="flex-calendar" role="list" aria-label={`Debits of ${monthName(month)}`}>
        {WEEKDAYS.map(name => (
          <div key={name} className="flex-weekday" role="presentation">
            {name}
          </div>
        ))}
        {days.map((day, index) => (
          <Cell
            key={day.day}
            day={day}
            isToday={day.day === today}
            column={index === 0 ? weekdayOf(day.day) + 1 : 0}
          />
        ))}
      </div>
      <p className="faint">
        A day shows what is to be presented on it, and what became of what was presented on it. The money of
        an instalment stands once, on the day where it is now; a debit that was tried again since, or is paid
        otherwise, stands without a sum. On grey days banks are closed.
      </p>
    </>
  )
}

function MonthTotals({ days }: { days: readonly Day[] }) {
  const totals = DEBIT_ORDER.flatMap(status => {
    const sums = days.flatMap(day => day.sums.filter(sum => sum.status === status))
    const count = sums.reduce((total, sum) => total + sum.count, 0)
    const amount = sums.reduce((total, sum) => total + Math.round(sum.amount * 100), 0) / 100
    return count === 0 ? [] : [{ status, count, amount }]
  })
  if (totals.length === 0)
    return <p className="faint">No debits in this month. Plans appear here once families have set them up.</p>
  return <DayAmounts sums={totals} />
}

function Cell({ day, isToday, column }: { day: Day; isToday: boolean; column: number }) {
  const { code: institute } = useInstitute()
  const classes = [
    'flex-day',
    day.is_working_day ? '' : 'flex-day-closed',
    isToday ? 'flex-day-today' : '',
    day.sums.length === 0 ? 'flex-day-empty' : '',
    column > 0 ? `flex-column-${column}` : '',
  ]
  return (
    <div role="listitem" className={classes.filter(Boolean).join(' ')}>
      <Link
        className="flex-day-link"
        to="/i/$institute/flex/days/$day"
        params={{ institute, day: day.day }}
        aria-current={isToday ? 'date' : undefined}
      >
        <span className="flex-day-number" aria-hidden="true">
          {Number(day.day.slice(8))} <span className="flex-day-name">{weekdayName(day.day)}</span>
        </span>
        <span className="visually-hidden">{spoken(day, isToday)}</span>
        {inOrder(day).map(({ status, count, amount }) => (
          <span
            key={status}
            className={`flex-sum status-${DEBIT_LABELS[status].tone}`}
            title={amount > 0 ? formatRupees(amount) : undefined}
          >
            <span>
              {formatCount(count)} {DEBIT_LABELS[status].label.toLowerCase()}
            </span>
            {amount > 0 && <span className="nowrap">{formatShortRupees(amount)}</span>}
          </span>
        ))}
      </Link>
    </div>
  )
}

function inOrder({ sums }: Day): Day['sums'] {
  return sums.toSorted((one, other) => DEBIT_ORDER.indexOf(one.status) - DEBIT_ORDER.indexOf(other.status))
}

function spoken(day: Day, isToday: boolean): string {
  const closed = day.is_working_day ? '' : ', banks are closed'
  return `${formatDay(day.day)}${isToday ? ', today' : ''}${closed}: ${day.sums.length === 0 ? 'nothing' : ''}`
}
