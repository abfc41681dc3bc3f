import { Link } from '@tanstack/react-router'
import type { CalendarAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import { useInstitute } from '../../api/session.ts'
import { formatCount, formatRupees } from '../../ui/money.tsx'
import { DEBIT_ORDER, DEBIT_LABELS, type DebitStatus } from './texts.ts'

type Sums = CalendarAnswer['days'][number]['sums']

export function DayAmounts({
  sums,
  day,
  here,
}: {
  sums: Sums
  day?: string
  here?: DebitStatus | undefined
}) {
  const { code: institute } = useInstitute()
  const sorted = sums.toSorted((a, b) => DEBIT_ORDER.indexOf(a.status) - DEBIT_ORDER.indexOf(b.status))
  return (
    <ul className="flex-sums">
      {sorted.map(({ status, count, amount }) => {
        const { label, tone } = DEBIT_LABELS[status]
        const inside = (
          <>
            <span className={`status status-${tone}`}>{label}</span> <strong>{formatCount(count)}</strong>{' '}
            {amount > 0 && <span className="nowrap">{formatRupees(amount)}</span>}
          </>
        )
        return (
          <li key={status}>
            {day === undefined ? (
              <span className="flex-sum-card">{inside}</span>
            ) : (
              <Link
                className="flex-sum-card"
                to="/i/$institute/flex/days/$day"
                params={{ institute, day }}
                search={status === here ? {} : { status }}
                aria-current={status === here ? 'true' : undefined}
              >
                {inside}
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}
