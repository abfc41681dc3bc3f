import { Button } from '@mantine/core'
import { useState } from 'react'
import type { PlanAnswer } from '../../../../../src/console/flex/plan.schemas.ts'
import { useMay } from '../../../api/session.ts'
import { readable } from '../../../ui/words.ts'
import { formatRupees, Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay, formatMoment } from '../../../ui/when.tsx'
import { CallOffDialogue, MoveDialogue } from './actions.tsx'
import { DEBIT_LABELS, INSTALMENT_LABELS } from '../texts.ts'
import { TableFrame } from '../../../ui/table/frame.tsx'

type Instalment = PlanAnswer['payment_schedule'][number]

export function PlanSchedule({ plan }: { plan: PlanAnswer }) {
  const mayMove =
    useMay('owner', 'finance') && plan.payment_schedule.some(one => one.can_be_moved || one.can_be_called_off)
  const [moved, setMoved] = useState<Instalment | null>(null)
  const [calledOff, setCalledOff] = useState<Instalment | null>(null)
  return (
    <>
      <h2 className="section-title">Schedule</h2>
      <TableFrame name="Schedule" className="flex-schedule">
        <table className="data-table">
          <caption className="visually-hidden">Instalments</caption>
          <thead>
            <tr>
              <th scope="col" className="right">
                No.
              </th>
              <th scope="col">Due</th>
              <th scope="col" className="right">
                Amount
              </th>
              <th scope="col">State</th>
              <th scope="col">Attempts</th>
              <th scope="col">Next step</th>
              {mayMove && (
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {plan.payment_schedule.map(one => (
              <Row
                key={one.id}
                one={one}
                mayMove={mayMove}
                onMove={() => setMoved(one)}
                onCallOff={() => setCalledOff(one)}
              />
            ))}
          </tbody>
        </table>
      </TableFrame>
      {moved !== null && <MoveDialogue plan={plan} instalment={moved} onClose={() => setMoved(null)} />}
      {calledOff !== null && (
        <CallOffDialogue plan={plan} instalment={calledOff} onClose={() => setCalledOff(null)} />
      )}
    </>
  )
}

function Row({
  one,
  mayMove,
  onMove,
  onCallOff,
}: {
  mayMove: boolean
} & ActsProps) {
  const { label, tone } = INSTALMENT_LABELS[one.status]
  return (
    <tr>
      <td className="right">{one.number}</td>
      <td className="nowrap">
        {formatDay(one.due_date)}
        {one.is_downpayment && <div className="faint">Down payment</div>}
        {one.is_charge === true && <div className="faint">Single charge</div>}
        {!one.is_downpayment && one.present_on !== one.due_date && (
          <div className="faint">Presented {formatDay(one.present_on)}</div>
        )}
      </td>
      <td className="right">
        <Money rupees={one.amount} />
        {one.is_charge === true && (
          <div className="faint">
            {one.details.map(line => readable(line.component_type)).join(', ')}: {one.charge_reason}
          </div>
        )}
        {one.details.length > 1 && (
          <details className="faint">
            <summary className="nowrap">{one.details.length} fees</summary>
            {one.details.map(line => (
              <div key={line.component_type}>
                {readable(line.component_type)} {formatRupees(line.amount)}
              </div>
            ))}
          </details>
        )}
      </td>
      <td>
        <StatusBadge tone={tone}>{label}</StatusBadge>
        {one.stopped_at !== undefined && <div className="faint">Stopped by the family</div>}
        {one.settlement_utr !== undefined && <div className="faint">UTR {one.settlement_utr}</div>}
        {one.refunded_amount !== undefined && (
          <div className="faint">{formatRupees(one.refunded_amount)} refunded</div>
        )}
      </td>
      <td>
        {one.attempts.map(attempt => (
          <div key={attempt.presentation} className="flex-attempt">
            {attempt.presentation}. {DEBIT_LABELS[attempt.status].label}
            <div className="faint">
              {formatMoment(attempt.presented_at)}
              {attempt.return_code !== undefined && (
                <>
                  <br />
                  {attempt.reason} (code {attempt.return_code})
                </>
              )}
            </div>
          </div>
        ))}
      </td>
      <td className="flex-words">{one.next_step}</td>
      {mayMove && <Acts one={one} onMove={onMove} onCallOff={onCallOff} />}
    </tr>
  )
}

type ActsProps = { one: Instalment; onMove: () => void; onCallOff: () => void }

function Acts({ one, onMove, onCallOff }: ActsProps) {
  return (
    <td className="right">
      {one.can_be_moved && (
        <Button
          variant="default"
          size="xs"
          onClick={onMove}
          aria-label={`Move instalment ${one.number} to another day`}
        >
          Move
        </Button>
      )}
      {one.can_be_called_off && (
        <Button
          variant="default"
          size="xs"
          onClick={onCallOff}
          aria-label={`Call off the charge of instalment ${one.number}`}
        >
          Call off
        </Button>
      )}
    </td>
  )
}
