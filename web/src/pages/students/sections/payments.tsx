import { ActionIcon, Anchor, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentsAnswer } from '../../../../../src/console/students/students.output.ts'
import { fileAddress } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { formatRupees, Money } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { useTechnical } from '../../../ui/technical.ts'
import { formatDay, PaidAt } from '../../../ui/when.tsx'
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
    <section aria-label="Payments">
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

/** When somebody paid last, how much and how. */
export function LastPayment({ id }: { id: string }) {
  const payments = usePayments(id)
  const last = payments.data && rowsOf(payments.data).find(isPaid)
  if (payments.isPending) return <div className="skeleton last-payment" />
  if (last === undefined) return payments.isSuccess ? <span className="faint">None yet</span> : null
  return (
    <>
      {formatRupees(last.amount)}
      <div className="faint">
        {formatDay(dayInIndia(last.at))}, {last.how}
      </div>
    </>
  )
}

/** What was paid and stands, the newest first. */
export function paidRows(payments: PaymentsAnswer): Row[] {
  return rowsOf(payments).filter(isPaid)
}

/** Money at a moment, and how it came or went. */
export type Happened = { at: string | undefined; amount: number; how: string }

/** What of it was paid out again, here or at the counter. */
export function givenBack({ refunds, direct }: PaymentsAnswer): Happened[] {
  const atCounter = direct.flatMap(payment => payment.refunds)
  return [
    ...refunds.map(({ refunded_at: at, amount }) => ({ at, amount, how: 'Online' })),
    ...atCounter.map(({ refunded_at: at, amount, way }) => ({ at, amount, how: modeLabel(way) })),
  ]
}

function isPaid({ at, status }: Row): boolean {
  return at !== undefined && PAID.includes(status)
}

/** Parents need them for the tax return; each financial year with a payment has one. */
function Certificates({ id, rows }: { id: string; rows: readonly Row[] }) {
  const path = `${useInstitutePath()}/students/${id}/fee-certificate`
  const years = [...new Set(rows.filter(isPaid).map(({ at }) => financialYear(at ?? '')))]
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
      how: `At the school, ${modeLabel(payment.mode)}`,
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
            {mayCancel && (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            )}
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
}: ActsProps & { row: Row; mayCancel: boolean }) {
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
      </td>
      {mayCancel && (
        <td className="acts">
          {direct?.status === 'recorded' && (
            <Acts
              payment={direct}
              refunded={row.refunded}
              onCancel={onCancel}
              onRefund={onRefund}
              onMove={onMove}
            />
          )}
        </td>
      )}
    </tr>
  )
}

type ActsProps = {
  onCancel: (payment: DirectPayment) => void
  onRefund: (payment: DirectPayment) => void
  onMove: (payment: DirectPayment) => void
}

/** What can be done with a payment that the institute took; nothing with one that was given back in full. */
function Acts({
  payment,
  refunded,
  onCancel,
  onRefund,
  onMove,
}: ActsProps & { payment: DirectPayment; refunded: number }) {
  const mayRefund = payment.is_counter && payment.amount > refunded
  if (refunded > 0 && !mayRefund) return null
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Act on the payment ${payment.transaction_id}`}>
          <IconDots size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayRefund && <Menu.Item onClick={() => onRefund(payment)}>Refund the payment</Menu.Item>}
        {payment.is_counter && refunded === 0 && (
          <Menu.Item onClick={() => onMove(payment)}>Move the payment</Menu.Item>
        )}
        {refunded === 0 && <Menu.Item onClick={() => onCancel(payment)}>Cancel the payment</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
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

/** An id that stands in for a number when nobody typed one says nothing to people. */
function isOwnId(reference: string | undefined): boolean {
  return /^[a-z]+_[0-9a-z]{20,}$/.test(reference ?? '')
}

function Reference({ row }: { row: Row }) {
  const { code: institute } = useInstitute()
  const [isTechnical] = useTechnical()
  const receipts = `${useInstitutePath()}/money/receipts`
  const receiptFile = (number: string): string => `${receipts}/${number.replace('/', '-')}/pdf`
  const numbers = [
    ...(row.direct?.cancelled_receipts ?? []).map(one => ({ number: one.receipt_number, is: ', cancelled' })),
    ...(row.receipt === undefined ? [] : [{ number: row.receipt, is: '' }]),
  ]
  return (
    <>
      {(isTechnical || !isOwnId(row.reference)) && <span className="mono long-text">{row.reference}</span>}
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
