import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { OrderDetailAnswer } from '../../../../../src/console/orders/order.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { Detail, RawJson, Timeline, type DetailField } from '../../../ui/detail.tsx'
import { formatRupees, sumRupees } from '../../../ui/money.tsx'
import { AwaitedPage } from '../../../ui/page.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay, When } from '../../../ui/when.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { CopyButton } from '../../../ui/link/copy-button.tsx'
import { CancelDialogue, RefundDialogue, SendDialogue } from './actions.tsx'
import { Lines, Payments, Refunds } from './parts.tsx'
import { QrDialogue } from '../qr-dialogue.tsx'
import { KINDS, statusWord } from '../texts.ts'

const TRAIL: readonly Crumb[] = [{ label: 'Orders & links', to: '/i/$institute/orders' }]

const WATCH_MS = 10_000

/** One order. While it can still be paid the page polls for the payment. */
export function OrderPage() {
  const path = useInstitutePath()
  const { order: orderId = '' } = useParams({ strict: false })
  const detail = useQuery({
    queryKey: ['order', path, orderId],
    queryFn: ({ signal }) =>
      get<OrderDetailAnswer>(`${path}/orders/${encodeURIComponent(orderId)}`, {}, signal),
    refetchInterval: query => (query.state.data?.can_send === true ? WATCH_MS : false),
  })
  return (
    <>
      <Crumbs trail={TRAIL} />
      {detail.isSuccess ? <Loaded order={detail.data} /> : <AwaitedPage kind="Order" query={detail} />}
    </>
  )
}

function Loaded({ order }: { order: OrderDetailAnswer }) {
  const { label, tone } = statusWord(order)
  return (
    <Detail
      title={`${KINDS[order.kind].label}, ${formatRupees(order.amount)}`}
      status={<StatusBadge tone={tone}>{label}</StatusBadge>}
      actions={<Actions order={order} />}
      fields={useFields(order)}
    >
      <Lines order={order} />
      <Payments order={order} />
      <Refunds order={order} />
      <h2 className="section-title">What happened</h2>
      <Timeline entries={order.timeline} />
      <RawJson value={order} label="Technical details of the whole order" />
    </Detail>
  )
}

type Action = 'cancel' | 'refund' | 'send' | 'qr'

function Actions({ order }: { order: OrderDetailAnswer }) {
  const path = useInstitutePath()
  const [action, setAction] = useState<Action | null>(null)
  const mayAct = useMay('owner', 'finance')
  const close = (): void => setAction(null)
  const base = `${path}/orders/${order.id}`
  return (
    <>
      {order.url !== undefined && order.can_send && (
        <>
          <CopyButton text={order.url}>Copy link</CopyButton>
          <Button variant="default" onClick={() => setAction('qr')}>
            QR code
          </Button>
        </>
      )}
      {mayAct && order.can_send && (
        <Button variant="default" onClick={() => setAction('send')}>
          Send
        </Button>
      )}
      {order.receipt_number !== undefined && (
        <Button variant="default" component="a" href={`/console/api${base}/receipt`}>
          Receipt
        </Button>
      )}
      {mayAct && order.can_refund && (
        <Button variant="default" onClick={() => setAction('refund')}>
          Refund
        </Button>
      )}
      {mayAct && order.can_cancel && (
        <Button variant="default" onClick={() => setAction('cancel')}>
          {order.kind === 'link' ? 'Cancel' : 'Close'}
        </Button>
      )}
      {action === 'cancel' && <CancelDialogue order={order} onClose={close} />}
      {action === 'refund' && <RefundDialogue order={order} onClose={close} />}
      {action === 'send' && <SendDialogue order={order} onClose={close} />}
      {action === 'qr' && (
        <QrDialogue path={`${base}/qr`} url={order.url ?? ''} name={order.id} onClose={close} />
      )}
    </>
  )
}

/** The other children of the same sum, and that sum. */
function Together({ order }: { order: OrderDetailAnswer }) {
  const { code: institute } = useInstitute()
  const all = sumRupees([order.amount, ...order.paid_together.map(one => one.amount)])
  return (
    <>
      {order.paid_together.map(one => (
        <div key={one.id}>
          <Link to="/i/$institute/orders/$order" params={{ institute, order: one.id }} search={{}}>
            {one.student_name ?? 'another child'}
          </Link>
          , {formatRupees(one.amount)}
        </div>
      ))}
      <div className="faint">{formatRupees(all)} in all</div>
    </>
  )
}

function moment(at: string | undefined): ReactNode {
  return at && <When at={at} />
}

function useFields(order: OrderDetailAnswer): DetailField[] {
  const { code: institute } = useInstitute()
  const {
    file,
    service_student_id: student,
    page_id: pageId,
    receipt_number: receipt,
    refunded_amount: refunded,
  } = order
  return [
    { label: 'Payer', value: order.name },
    { label: 'Phone', value: order.phone },
    { label: 'E-mail', value: order.email },
    {
      label: 'Pays the dues of',
      value: student && (
        <Link to="/i/$institute/students/$student" params={{ institute, student }} search={{}}>
          {order.student_name ?? order.identifier ?? 'the student'}
        </Link>
      ),
    },
    {
      label: 'Paid in one sum with',
      value: order.paid_together.length > 0 && <Together order={order} />,
    },
    { label: 'Student', value: student === undefined ? order.student_name : undefined },
    { label: 'Admission no.', value: order.identifier },
    { label: 'Class', value: [order.grade, order.stream].filter(Boolean).join(', ') },
    {
      label: 'Academic year',
      value: order.academic_year_start && `${order.academic_year_start}-${order.academic_year_end ?? ''}`,
    },
    {
      label: 'Dues',
      value:
        student === undefined && (order.kind === 'link' || order.kind === 'order')
          ? 'Stands by itself; lowers nobody’s dues'
          : undefined,
    },
    { label: 'Date of birth', value: order.date_of_birth && formatDay(order.date_of_birth) },
    { label: 'Second identifier', value: order.custom_identifier },
    { label: 'Branch', value: order.branch },
    { label: 'Made', value: moment(order.created_at) },
    { label: 'Can be paid until', value: moment(order.status === 'paid' ? undefined : order.expires_at) },
    { label: 'Paid', value: moment(order.paid_at) },
    {
      label: 'Transaction',
      value: order.transaction_id && <span className="mono">{order.transaction_id}</span>,
    },
    { label: 'Refunded', value: refunded === undefined ? undefined : formatRupees(refunded) },
    {
      label: 'Receipt',
      value: receipt && `${receipt}${order.receipt_cancelled_at === undefined ? '' : ', cancelled'}`,
    },
    {
      label: 'Payment page',
      value: pageId && (
        <Link to="/i/$institute/orders/pages/$page" params={{ institute, page: pageId }} search={{}}>
          {order.page_title}
        </Link>
      ),
    },
    {
      label: 'From a file',
      value: file && (
        <Link to="/i/$institute/orders/files/$file" params={{ institute, file: file.batch_id }} search={{}}>
          {file.name}, row {file.row}
        </Link>
      ),
    },
    ...order.notes.map(({ key, value }) => ({ label: `Note “${key}”`, value })),
    { label: 'Id', value: <span className="mono">{order.id}</span> },
  ]
}
