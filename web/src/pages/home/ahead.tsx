import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { counted, sumRupees, formatRupees } from '../../ui/money.tsx'
import { formatShortDay } from '../../ui/when.tsx'
import { addDays } from '../flex/days.ts'
import { PanelRow } from './panel-row.tsx'

/** What is expected in the next four weeks: what families pay by themselves, what banks are asked for, and what last year brought. */
export function Ahead({ home }: { home: HomeAnswer }) {
  const { today, due_by_week: weeks, last_in_weeks: last } = home
  if (weeks.length === 0) return null
  const byFamilies = sumRupees(weeks.map(({ amount }) => amount))
  const byBanks = sumRupees(weeks.map(({ debits }) => debits.amount))
  const most = Math.max(1, ...weeks.map(totalOf))
  return (
    <>
      <h2 className="section-title">Falls due in the next four weeks</h2>
      <section className="panel" aria-label="Falls due in the next four weeks">
        <p className="faint">
          {byFamilies > 0 &&
            `${formatRupees(byFamilies)} that families pay by themselves, by the due days of fees. `}
          {byBanks > 0 && `${formatRupees(byBanks)} by instalments, which banks are asked for. `}
          {last > 0 && `In the same four weeks of last year ${formatRupees(last)} came in.`}
        </p>
        <ul className="panel-rows">
          {weeks.map(week => (
            <PanelRow
              key={week.week}
              label={`${formatShortDay(addDays(today, week.week * 7))} to ${formatShortDay(addDays(today, week.week * 7 + 6))}`}
              note={noteOf(week)}
              amount={totalOf(week)}
              share={totalOf(week) / most}
              tone="plain"
            />
          ))}
        </ul>
      </section>
    </>
  )
}

type Week = HomeAnswer['due_by_week'][number]

function totalOf({ amount, debits }: Week): number {
  return sumRupees([amount, debits.amount])
}

function noteOf({ students, debits: { count } }: Week): string {
  return [
    ...(students > 0 ? [counted(students, 'student')] : []),
    ...(count > 0 ? [counted(count, 'instalment')] : []),
  ].join(', ')
}
