import { Anchor, Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentsAnswer } from '../../../../../src/console/students/students.output.ts'
import { fileAddress } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { formatRupees, Money } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { PaidAt } from '../../../ui/when.tsx'
import { MovePaymentDialogue } from '../actions/move-payment.tsx'
import { CancelPaymentDialogue } from '../actions/cancel-payment.tsx'
import { RefundPaymentDialogue } from '../actions/refund-payment.tsx'
import { usePayments, type DirectPayment } from '../use-student.ts'
import { modeLabel } from '../../money/texts.ts'
import { StudentTable } from '../student-table.tsx'
import { dayInIndia, PAYMENT_LABELS, PRODUCT_LABELS } from '../texts.ts'
import { readable } from '../../../ui/words.ts'

type Line = { component_type: string; amount: number }

type Row = {
  id: string
  at: string | undefined
  how: string
  status: string
  amount: number
  refunded: number
  reference: string | undefined
  lines: readonly Line[]
  receipt: string | undefined
  orderId: string | undefined
  direct: DirectPayment | undefined
}

export function PaymentsSection({ id }: { id: string }) {
  const payments = usePayments(id)
  const rows = payments.data === undefined ? [] : rowsOf(payments.data)
  return (
    <section aria-labelledby="payments">
      <h2 className="section-title" id="payments">
        Payments
      </h2>
      {payments.isPending && <Loading what="Loading payments" />}
      {payments.isError && <Failed error={payments.error} retry={() => void payments.refetch()} />}
      {payments.isSuccess && rows.length === 0 && (
        <p className="faint">
          Nothing has been paid. Create a payment link for the parents, or record what was paid at the
          counter.
        </p>
      )}
      {rows.length > 0 && <PaymentTable id={id} rows={rows} />}
      <Certificates id={id} rows={rows} />
    </section>
  )
}

/** Parents need them for the tax return; each financial year with a payment has one. */
function Certificates({ id, rows }: { id: string; rows: readonly Row[] }) {
  const path = `${useInstitutePath()}/students/${id}/fee-certificate`
  const paid = rows.filter(({ at, status }) => at !== undefined && PAID.includes(status))
  const years = [...new Set(paid.map(({ at }) => financialYear(at ?? '')))]
  if (years.length === 0) return null
  return (
    <p>
      Fee certificate:{' '}
      {years.map(year => (
        <Anchor
          key={year}
          href={fileAddress(`${path}?financial_year=${year}`)}
          target="_blank"
          rel="noreferrer"
          mr="sm"
          underline="always"
        >
          {year} (PDF)
        </Anchor>
      ))}
    </p>
  )
}

const PAID = ['captured', 'settled', 'recorded']

/** 1 April to 31 March, by the day in India. */
function financialYear(moment: string): string {
  const [year = 0, month = 0] = dayInIndia(moment).split('-').map(Number)
  const start = month >= 4 ? year : year - 1
  return `${start}-${String((start + 1) % 100).padStart(2, '0')}`
}

function rowsOf({ online, direct }: PaymentsAnswer): Row[] {
  const rows: Row[] = [
    ...online.map(payment => ({
      id: payment.payment_id,
      at: payment.paid_at,
      how: `${PRODUCT_LABELS[payment.product]}, ${modeLabel(payment.mode)}`,
      status: payment.status,
      amount: payment.amount,
      refunded: payment.refunded_amount,
      reference: payment.transaction_id,
      lines: payment.details,
      receipt: payment.receipt_number,
      orderId: payment.order_id,
      direct: undefined,
    })),
    ...direct.map(payment => ({
      id: payment.id,
      at: payment.paid_at,
      how: `At the institute, ${modeLabel(payment.mode)}`,
      status: payment.status,
      amount: payment.amount,
      refunded: payment.refunded_amount ?? 0,
      reference: payment.transaction_id,
      lines: payment.fee_components,
      receipt: payment.receipt_number,
      orderId: undefined,
      direct: payment,
    })),
  ]
  // A payment that is still on its way has no day yet and comes first.
  return rows.toSorted((one, other) => (other.at ?? '9').localeCompare(one.at ?? '9'))
}

function PaymentTable({ id, rows }: { id: string; rows: readonly Row[] }) {
  const mayCancel = useMay('owner', 'finance') && rows.some(row => row.direct?.status === 'recorded')
  const [cancelled, setCancelled] = useState<DirectPayment | null>(null)
  const [refunded, setRefunded] = useState<DirectPayment | null>(null)
  const [moved, setMoved] = useState<DirectPayment | null>(null)
  return (
    <>
      <StudentTable name="Payments">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">How</th>
            <th scope="col">For</th>
            <th scope="col">Reference</th>
            <th scope="col" className="right">
              Amount
            </th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <PaymentRow
              key={row.id}
              row={row}
              mayCancel={mayCancel}
              onCancel={setCancelled}
              onRefund={setRefunded}
              onMove={setMoved}
            />
          ))}
        </tbody>
      </StudentTable>
      {refunded !== null && (
        <RefundPaymentDialogue id={id} payment={refunded} onClose={() => setRefunded(null)} />
      )}
      {moved !== null && <MovePaymentDialogue id={id} payment={moved} onClose={() => setMoved(null)} />}
      {cancelled !== null && (
        <CancelPaymentDialogue id={id} payment={cancelled} onClose={() => setCancelled(null)} />
      )}
    </>
  )
}

function PaymentRow({
  row,
  mayCancel,
  onCancel,
  onRefund,
  onMove,
}: {
  row: Row
  mayCancel: boolean
  onCancel: (payment: DirectPayment) => void
  onRefund: (payment: DirectPayment) => void
  onMove: (payment: DirectPayment) => void
}) {
  const { direct } = row
  const ended = direct?.status === 'cancelled' ? direct.cancelled_receipts.at(-1) : undefined
  const status = ended?.is_moved === true ? 'moved' : row.status
  const { label, tone } = PAYMENT_LABELS[status] ?? { label: status, tone: 'plain' as const }
  return (
    <tr>
      <td className="nowrap">{row.at !== undefined && <PaidAt at={row.at} />}</td>
      <td>{row.how}</td>
      <td>{row.lines.map(line => readable(line.component_type)).join(', ')}</td>
      <td>
        <Reference row={row} />
      </td>
      <td className="right">
        <Money rupees={row.amount} />
        {row.refunded > 0 && <div className="faint">{formatRupees(row.refunded)} given back</div>}
        <Vouchers refunds={direct?.refunds ?? []} />
      </td>
      <td>
        <StatusBadge tone={tone}>{label}</StatusBadge>
        {ended !== undefined && <div className="faint">{ended.reason}</div>}
        {/* A column of their own would stand beside the screen. */}
        {mayCancel && direct?.status === 'recorded' && (
          <Group gap={6} mt="xs">
            {direct.is_counter && direct.amount > row.refunded && (
              <Button
                variant="default"
                size="xs"
                onClick={() => onRefund(direct)}
                aria-label={`Refund the payment ${direct.transaction_id}`}
              >
                Refund
              </Button>
            )}
            {direct.is_counter && row.refunded === 0 && (
              <Button
                variant="default"
                size="xs"
                onClick={() => onMove(direct)}
                aria-label={`Move the payment ${direct.transaction_id}`}
              >
                Move
              </Button>
            )}
            {row.refunded === 0 && (
              <Button
                variant="default"
                size="xs"
                onClick={() => onCancel(direct)}
                aria-label={`Cancel the payment ${direct.transaction_id}`}
              >
                Cancel
              </Button>
            )}
          </Group>
        )}
      </td>
    </tr>
  )
}

/** What the family signs for money that was paid out again. */
function Vouchers({ refunds }: { refunds: DirectPayment['refunds'] }) {
  const vouchers = `${useInstitutePath()}/counter/refunds`
  return refunds.map(refund => (
    <div key={refund.id}>
      <Anchor
        className="nowrap"
        href={fileAddress(`${vouchers}/${refund.id}/pdf`)}
        target="_blank"
        rel="noreferrer"
      >
        Voucher {refund.voucher_number}
      </Anchor>
    </div>
  ))
}

function Reference({ row }: { row: Row }) {
  const { code: institute } = useInstitute()
  const receipts = `${useInstitutePath()}/money/receipts`
  const receiptFile = (number: string): string => `${receipts}/${number.replace('/', '-')}/pdf`
  const numbers = [
    ...(row.direct?.cancelled_receipts ?? []).map(one => ({ number: one.receipt_number, is: ', cancelled' })),
    ...(row.receipt === undefined ? [] : [{ number: row.receipt, is: '' }]),
  ]
  return (
    <>
      <span className="mono long-text">{row.reference}</span>
      {numbers.map(({ number, is }) => (
        <div key={number}>
          <Anchor className="nowrap" href={fileAddress(receiptFile(number))} target="_blank" rel="noreferrer">
            Receipt {number}
          </Anchor>
          {is}
        </div>
      ))}
      {row.orderId !== undefined && (
        <div>
          <Link to="/i/$institute/orders/$order" params={{ institute, order: row.orderId }}>
            Order
          </Link>
        </div>
      )}
    </>
  )
}
