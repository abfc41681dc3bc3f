import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { counted, sumRupees, formatRupees } from '../../ui/money.tsx'
import { formatShortDay } from '../../ui/when.tsx'
import { addDays } from '../flex/days.ts'
import { PanelRow } from './panel-row.tsx'

/** What falls due in the next four weeks; what plans will take stands apart, because banks are asked for it. */
export function Ahead({ home }: { home: HomeAnswer }) {
  const { today, due_by_week: weeks } = home
  if (weeks.length === 0) return null
  const most = Math.max(1, ...weeks.map(({ amount }) => amount))
  return (
    <>
      <h2 className="section-title">Falls due in the next four weeks</h2>
      <section className="panel" aria-label="Falls due in the next four weeks">
        <p className="faint">
          {formatRupees(sumRupees(weeks.map(({ amount }) => amount)))} that families pay by themselves, by the
          due days of fees; instalments of plans come beside it.
        </p>
        <ul className="panel-rows">
          {weeks.map(({ week, amount, students }) => (
            <PanelRow
              key={week}
              label={`${formatShortDay(addDays(today, week * 7))} to ${formatShortDay(addDays(today, week * 7 + 6))}`}
              note={counted(students, 'student')}
              amount={amount}
              share={amount / most}
              tone="plain"
            />
          ))}
        </ul>
      </section>
    </>
  )
}
