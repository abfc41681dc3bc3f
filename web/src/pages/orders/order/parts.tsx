import type { ReactNode } from 'react'
import type { OrderDetailAnswer } from '../../../../../src/console/orders/order.schemas.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { formatRupees, Money } from '../../../ui/money.tsx'
import { providerName } from '../../../ui/provider-name.ts'
import { formatDay, When } from '../../../ui/when.tsx'
import { Badge } from '../badge.tsx'
import { feeName } from './fee-name.ts'
import { modeLabel, PAYMENT_LABELS, REFUND_LABELS } from '../texts.ts'
import { TableFrame } from '../../../ui/table/frame.tsx'

/** What is paid for, how it was paid and what went back, as the order's page shows them. */
function Table({ name, heads, children }: { name: string; heads: readonly string[]; children: ReactNode }) {
  return (
    <>
      <h2 className="section-title">{name}</h2>
      {/* A wide table scrolls in its frame, so the frame can be reached by the keyboard. */}
      <TableFrame name={name}>
        <table className="data-table">
          <caption className="visually-hidden">{name}</caption>
          <thead>
            <tr>
              {heads.map(head => (
                <th key={head} scope="col" className={head === 'Amount' ? 'right' : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </TableFrame>
    </>
  )
}

export function Lines({ order }: { order: OrderDetailAnswer }) {
  return (
    <Table name="What it is for" heads={['Fee', 'Amount', 'Settled to bank']}>
      {order.details.map((line, index) => (
        <tr key={index}>
          <td>{line.label}</td>
          <td className="right">
            <Money rupees={line.amount} />
          </td>
          <td>
            {line.settled_at === undefined ? (
              'Not yet'
            ) : (
              <>
                UTR <span className="mono nowrap">{line.settlement_utr}</span>
                <div>
                  <When at={line.settled_at} />
                </div>
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}

export function Payments({ order }: { order: OrderDetailAnswer }) {
  if (order.payments.length === 0) return null
  return (
    <Table name="Payments and tries" heads={['Status', 'Amount', 'How', 'Began', 'Bank', 'Settlement']}>
      {order.payments.toReversed().map(payment => (
        <tr key={payment.id}>
          <td>
            <Badge of={payment.status} labels={PAYMENT_LABELS} />
            {payment.is_duplicate && <div className="faint">Pays nothing here; goes back to the payer</div>}
            {payment.failure !== undefined && <div>{payment.failure}</div>}
            {payment.failure_code !== undefined && (
              <div className="faint mono nowrap">{payment.failure_code}</div>
            )}
          </td>
          <td className="right">
            <Money rupees={payment.amount} />
          </td>
          <td>
            {modeLabel(payment.mode)}
            <div className="faint">through {providerName(payment.provider)}</div>
          </td>
          <td>
            <When at={payment.started_at} />
          </td>
          <td>
            <span className="mono nowrap">{payment.transaction_id ?? payment.provider_ref}</span>
            <div className="faint mono nowrap">{payment.id}</div>
          </td>
          <td>{settlementOf(payment)}</td>
        </tr>
      ))}
    </Table>
  )
}

function settlementOf(payment: OrderDetailAnswer['payments'][number]): ReactNode {
  if (payment.settled_at !== undefined) {
    return (
      <>
        UTR <span className="mono nowrap">{payment.settlement_utr}</span>
      </>
    )
  }
  return payment.settle_due_on === undefined ? '' : `Expected on ${formatDay(payment.settle_due_on)}`
}

const REFUND_KINDS = {
  requested: 'Asked for',
  duplicate: 'Money that pays nothing here',
  returned: 'Taken back by the bank',
} as const

export function Refunds({ order }: { order: OrderDetailAnswer }) {
  const path = useInstitutePath()
  if (order.refunds.length === 0) return null
  return (
    <Table name="Refunds" heads={['Status', 'Amount', 'Of which', 'Reason', 'Requested', 'Bank']}>
      {order.refunds.toReversed().map(refund => (
        <tr key={refund.id}>
          <td>
            <Badge of={refund.status} labels={REFUND_LABELS} />
            {refund.failure !== undefined && <div>{refund.failure}</div>}
          </td>
          <td className="right">
            <Money rupees={refund.amount} />
          </td>
          <td>
            {refund.details.map((line, index) => (
              <div key={index} className="nowrap">
                {feeName(order, line.component_type)} {formatRupees(line.amount)}
              </div>
            ))}
          </td>
          <td>{refund.reason ?? REFUND_KINDS[refund.kind]}</td>
          <td>
            <When at={refund.requested_at} />
          </td>
          <td>
            {refund.utr !== undefined && <span className="mono nowrap">UTR {refund.utr}</span>}
            <div className="faint mono nowrap">{refund.id}</div>
            {refund.status === 'processed' && refund.kind !== 'returned' && (
              <a href={`/console/api${path}/orders/${order.id}/refunds/${refund.id}/voucher`}>
                Refund voucher
              </a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}
