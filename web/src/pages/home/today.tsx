import { Link } from '@tanstack/react-router'
import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { useInstitute } from '../../api/session.ts'
import { counted, formatRupees } from '../../ui/money.tsx'
import { modeLabel } from '../money/texts.ts'
import { PanelRow } from './panel-row.tsx'
import { Stat } from './stat.tsx'

/** What came in today, and by which ways. */
export function Today({ home }: { home: HomeAnswer }) {
  const { today, collected_today: collected, ways_today: ways } = home
  const most = Math.max(1, ...ways.map(({ amount }) => amount))
  const back = collected.given_back > 0 ? `; ${formatRupees(collected.given_back)} given back` : ''
  return (
    <section className="panel" aria-label="Today">
      <Stat
        label="Collected today"
        value={formatRupees(collected.amount)}
        note={`${counted(collected.count, 'payment')}${back}`}
        to="/i/$institute/money"
        search={{ view: 'payments', kind: 'payment', captured_from: today, captured_to: today }}
      />
      {ways.length === 0 ? (
        <p className="faint panel-none">Nothing has come in yet today.</p>
      ) : (
        <ul className="panel-rows">
          {ways.map(({ way, amount, count }) => (
            <PanelRow
              key={way}
              label={modeLabel(way)}
              note={counted(count, 'payment')}
              amount={amount}
              share={amount / most}
            />
          ))}
        </ul>
      )}
      <CashBook home={home} />
    </section>
  )
}

/** Where the drawers have another sum than the cash that was paid today, and why. */
function CashBook({ home: { ways_today: ways, cash_book_today: book } }: { home: HomeAnswer }) {
  const { code: institute } = useInstitute()
  const paid = ways.find(({ way }) => way === 'cash')?.amount ?? 0
  if (paid === book) return null
  return (
    <p className="faint panel-more">
      {formatRupees(book)} of cash in today’s{' '}
      <Link to="/i/$institute/counter" params={{ institute }} search={{ view: 'book' }}>
        cash book
      </Link>
      : what the counter wrote down today. Cash that the ERP reported is not in it.
    </p>
  )
}
