import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { ReceiptAnswer } from '../../../../src/console/money/receipt.list.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { formatRupees, Money } from '../../ui/money.tsx'
import { PrintReceipt } from '../../ui/print-receipt.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { ReceiptActs } from './receipt-acts.tsx'
import { OrderLink } from './order-link.tsx'
import { modeLabel } from './texts.ts'

function wordOf({ status, amount, refunded_amount: refunded = 0 }: ReceiptAnswer): string {
  if (status === 'cancelled') return 'Cancelled'
  if (refunded === 0) return 'Issued'
  return refunded < amount ? 'Part refunded' : 'Refunded'
}

const statusOf = (row: ReceiptAnswer) => {
  const word = wordOf(row)
  const tone = word === 'Issued' ? 'good' : word === 'Cancelled' ? 'bad' : 'waiting'
  return <StatusBadge tone={tone}>{word}</StatusBadge>
}

const CELLS = {
  number: (row: ReceiptAnswer) => <span className="nowrap">{row.number}</span>,
  student_name: (row: ReceiptAnswer) => [row.student_name, row.identifier].filter(Boolean).join(', '),
  mode: (row: ReceiptAnswer) => modeLabel(row.mode),
  amount: (row: ReceiptAnswer) => <Money rupees={row.amount} />,
  status: statusOf,
}

const LABELS = { status: { issued: { label: 'Issued' }, cancelled: { label: 'Cancelled' } } }

export function ReceiptsView() {
  const path = `${useInstitutePath()}/money/receipts`
  const mayCancel = useMay('owner', 'finance')
  const [open, setOpen] = useState<ReceiptAnswer | null>(null)
  const [cancelling, setCancelling] = useState<ReceiptAnswer | null>(null)
  return (
    <>
      <ListTable<ReceiptAnswer>
        name="Receipts"
        path={path}
        queryKey="money-receipts"
        cells={CELLS}
        labels={LABELS}
        rowId={row => row.id}
        onOpen={setOpen}
        picked={picked => <ReceiptActs path={path} picked={picked} />}
        empty={{
          title: 'No receipt yet',
          description:
            'Every payment that comes in online or at the counter gets a receipt, numbered without gaps within the financial year.',
        }}
      />
      <SideDialogue
        isOpen={open !== null}
        onClose={() => setOpen(null)}
        title={`Receipt ${open?.number ?? ''}`}
      >
        {open !== null && (
          <>
            <Receipt receipt={open} />
            <Group mt="md">
              <PrintReceipt number={open.number} />
              {mayCancel && open.status === 'issued' && (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => {
                    setCancelling(open)
                    setOpen(null)
                  }}
                >
                  Cancel this receipt
                </Button>
              )}
            </Group>
          </>
        )}
      </SideDialogue>
      {cancelling !== null && (
        <CancelDialogue receipt={cancelling} path={path} onClose={() => setCancelling(null)} />
      )}
    </>
  )
}

function Receipt({ receipt }: { receipt: ReceiptAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'Amount', value: <Money rupees={receipt.amount} /> },
          { label: 'Status', value: statusOf(receipt) },
          {
            label: 'Given back',
            value: receipt.refunded_amount && <Money rupees={receipt.refunded_amount} />,
          },
          { label: 'Issued', value: <When at={receipt.issued_at} /> },
          { label: 'Cancelled', value: receipt.cancelled_at && <When at={receipt.cancelled_at} /> },
          { label: 'Why cancelled', value: receipt.cancel_reason },
          { label: 'Payer', value: receipt.payer },
          { label: 'Student', value: receipt.student_name },
          { label: 'Admission no.', value: receipt.identifier },
          { label: 'Mode', value: modeLabel(receipt.mode) },
          { label: 'Payment', value: <span className="mono">{receipt.payment_id}</span> },
          { label: 'Order', value: receipt.order_id && <OrderLink id={receipt.order_id} /> },
        ]}
      />
      <RawJson value={receipt} />
    </>
  )
}

function CancelDialogue({
  receipt,
  path,
  onClose,
}: {
  receipt: ReceiptAnswer
  path: string
  onClose: () => void
}) {
  const cancel = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/${receipt.id}/cancel`,
    refreshes: ['money-receipts', 'money-payments', 'audit'],
    onDone() {
      notify(`Receipt ${receipt.number} has been cancelled.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Cancel receipt ${receipt.number}?`}
      description={`The PDF will say that it is cancelled, and why. Its number is never reused. The payment of ${formatRupees(receipt.amount)} is not affected; to return the money, make a refund.`}
      verb="Cancel the receipt"
      isDangerous
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}
