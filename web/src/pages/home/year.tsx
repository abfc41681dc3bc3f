import { Link } from '@tanstack/react-router'
import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { useInstitute } from '../../api/session.ts'
import { counted, formatRupees, formatShortRupees } from '../../ui/money.tsx'
import { formatDay } from '../../ui/when.tsx'

/** How far the year is: what came in, what is late, what is not due yet, and where the year before stood by this day. */
export function Year({ home }: { home: HomeAnswer }) {
  const { code: institute } = useInstitute()
  const { year, outstanding, today } = home
  const whole = year.collected + outstanding.amount
  const share = (amount: number): string =>
    `${whole <= 0 ? 0 : Math.max(0, Math.min(100, (amount / whole) * 100))}%`
  const rest = outstanding.amount - outstanding.overdue_amount
  const percent = whole <= 0 ? 0 : Math.round((year.collected / whole) * 100)
  return (
    <section className="year" aria-label="This school year">
      <div className="year-head">
        <div>
          <h2>Collected this school year</h2>
          <div className="year-figure">{formatRupees(year.collected)}</div>
        </div>
        <p className="year-of">
          <strong>{percent} %</strong> of {formatRupees(whole)}: all that came in since {formatDay(year.from)}
          , for whatever year, and all that is left to pay, late fees included.{' '}
          <Link to="/i/$institute/money" params={{ institute }} search={{ view: 'demand' }}>
            This year’s fees alone
          </Link>
        </p>
      </div>
      <div className="year-bar" aria-hidden>
        <span className="year-in" style={{ width: share(year.collected) }} />
        <span className="year-late" style={{ width: share(outstanding.overdue_amount) }} />
        {year.last_by_now > 0 && <i className="year-last" style={{ left: share(year.last_by_now) }} />}
      </div>
      <ul className="year-parts">
        <li>
          <i className="year-in" aria-hidden />
          <Link
            to="/i/$institute/money"
            params={{ institute }}
            search={{ view: 'collection', from: year.from, to: today, by: 'month' }}
          >
            Collected
          </Link>
          <strong>{formatShortRupees(year.collected)}</strong>
        </li>
        <li>
          <i className="year-late" aria-hidden />
          <Link to="/i/$institute/money" params={{ institute }} search={{ view: 'dues' }}>
            Overdue
          </Link>
          <strong>{formatShortRupees(outstanding.overdue_amount)}</strong>
        </li>
        <li>
          <i className="year-rest" aria-hidden />
          <Link to="/i/$institute/money" params={{ institute }} search={{ view: 'dues' }}>
            Not due yet
          </Link>
          <strong>{formatShortRupees(rest)}</strong>
        </li>
        {year.last_by_now > 0 && (
          <li>
            <i className="year-last" aria-hidden />
            <span>Last year by this day</span>
            <strong>{formatShortRupees(year.last_by_now)}</strong>
            <span className={year.collected >= year.last_by_now ? 'better' : 'faint'}>
              {compared(year.collected, year.last_by_now)}
            </span>
          </li>
        )}
      </ul>
      <p className="faint year-note">
        {counted(outstanding.students, 'student')} {outstanding.students === 1 ? 'has' : 'have'} something
        left to pay
        {outstanding.on_the_way_amount > 0 &&
          `; ${formatRupees(outstanding.on_the_way_amount)} of it is on the way`}
        .{year.last_whole > 0 && ` The whole of last year brought ${formatShortRupees(year.last_whole)}.`}
      </p>
    </section>
  )
}

function compared(now: number, before: number): string {
  const percent = Math.round((now / before - 1) * 100)
  return percent === 0 ? 'as much' : percent > 0 ? `${percent} % more now` : `${-percent} % less now`
}
