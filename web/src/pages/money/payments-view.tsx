import { useState } from 'react'
import type { RegisterAnswer } from '../../../../src/console/reports/register.list.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import type { Column } from '../../ui/table/rows.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { formatRupees, Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { PaidAt, When } from '../../ui/when.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { TallyLedgers } from './tally-ledgers.tsx'
import { OrderLink } from './order-link.tsx'
import { modeLabel, SOURCES } from './texts.ts'

const CELLS = {
  at: (row: RegisterAnswer) => <Paid payment={row} />,
  source: (row: RegisterAnswer) => `${sourceWord(row.source)}, ${modeLabel(row.mode)}`,
  student_name: (row: RegisterAnswer) => (
    <>
      {row.student_name ?? row.payer}
      <div className="faint nowrap">
        {row.identifier ?? (row.student_name === undefined ? '' : row.payer)}
      </div>
    </>
  ),
  components: (row: RegisterAnswer) => row.components.map(line => line.label).join(', '),
  amount: (row: RegisterAnswer) => <Money rupees={row.amount} />,
  receipt_number: (row: RegisterAnswer) =>
    row.receipt_number && <span className="nowrap">{row.receipt_number}</span>,
}

const STATUS: Column<RegisterAnswer> = {
  key: 'status',
  title: 'Status',
  text: row => stateOf(row).label,
  render: row => <StatusBadge tone={stateOf(row).tone}>{stateOf(row).label}</StatusBadge>,
}

const LABELS = {
  source: Object.fromEntries(SOURCES.map(({ value, label }) => [value, { label }])),
  kind: { payment: { label: 'Payments' }, refund: { label: 'Refunds' } },
  settled: { yes: { label: 'Yes' }, no: { label: 'Not yet' } },
}

function Paid({ payment: { source, at } }: { payment: RegisterAnswer }) {
  return source === 'direct' ? <PaidAt at={at} /> : <When at={at} />
}

function sourceWord(source: string): string {
  return SOURCES.find(({ value }) => value === source)?.label ?? source
}

function stateOf(row: RegisterAnswer): { label: string; tone: 'good' | 'waiting' | 'plain' } {
  if (row.kind === 'refund') return { label: 'Given back', tone: 'plain' }
  if (row.source === 'direct') return { label: 'Received', tone: 'good' }
  return row.settlement_id === undefined
    ? { label: 'On its way', tone: 'waiting' }
    : { label: 'Settled', tone: 'good' }
}

export function PaymentsView() {
  const path = useInstitutePath()
  const [open, setOpen] = useState<RegisterAnswer | null>(null)
  const [isNaming, setIsNaming] = useState(false)
  return (
    <>
      <ListTable<RegisterAnswer>
        name="Payments"
        path={`${path}/money/payments`}
        queryKey="money-payments"
        labels={LABELS}
        cells={CELLS}
        more={[STATUS]}
        rowId={row => row.id}
        onOpen={setOpen}
        files={(sent, sort) => (
          <ExportMenu
            path={`${path}/money/payments/export`}
            sent={{ ...sent, sort }}
            hasVouchers
            onLedgers={() => setIsNaming(true)}
          />
        )}
        empty={{
          title: 'No payment yet',
          description:
            'All payments are listed here: online, by instalment plans, at the counter and by lenders, with refunds. Create a payment link to get the first.',
        }}
      />
      <SideDialogue
        isOpen={open !== null}
        onClose={() => setOpen(null)}
        title={open?.kind === 'refund' ? 'Refund' : 'Payment'}
      >
        {open !== null && <Payment payment={open} />}
      </SideDialogue>
      {isNaming && <TallyLedgers onClose={() => setIsNaming(false)} />}
    </>
  )
}

const mono = (text: string | undefined) => text !== undefined && <span className="mono">{text}</span>

function Payment({ payment }: { payment: RegisterAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'Amount', value: <Money rupees={payment.amount} /> },
          { label: 'When', value: <Paid payment={payment} /> },
          { label: 'Payer', value: payment.payer },
          { label: 'Student', value: payment.student_name },
          { label: 'Admission no.', value: payment.identifier },
          { label: 'How', value: `${sourceWord(payment.source)}, ${modeLabel(payment.mode)}` },
          { label: 'Receipt', value: payment.receipt_number },
          { label: 'Reference', value: mono(payment.reference) },
          { label: 'UTR of the settlement', value: mono(payment.utr) },
          { label: 'Id', value: mono(payment.id) },
          { label: 'Order', value: payment.order_id && <OrderLink id={payment.order_id} /> },
        ]}
      />
      <h3 className="section-title">What for</h3>
      <table className="data-table">
        <tbody>
          {payment.components.map(line => (
            <tr key={line.component_type}>
              <td>{line.label}</td>
              <td className="right">{formatRupees(line.amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <RawJson value={payment} />
    </>
  )
}
