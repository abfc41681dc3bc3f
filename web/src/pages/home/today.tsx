import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
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
    </section>
  )
}
