import { Button, Checkbox, Group, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type {
  OrderDetailAnswer,
  RefundedAnswer,
  SentAnswer,
} from '../../../../../src/console/orders/order.schemas.ts'
import type { ApprovalAnswer } from '../../../../../src/console/approvals/approval.list.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { plainAmount, rupeesOf } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { LanguageSelect } from '../../../ui/form/language-select.tsx'
import { formatRupees, sumRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { modeLabel } from '../texts.ts'
import { feeName } from './fee-name.ts'

type Props = { order: OrderDetailAnswer; onClose: () => void }

const REFRESHES = ['orders', 'order', 'audit', 'home']

export function CancelDialogue({ order, onClose }: Props) {
  const path = useInstitutePath()
  const isLink = order.kind === 'link'
  const cancel = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `${path}/orders/${order.id}`,
    refreshes: REFRESHES,
    onDone() {
      notify(isLink ? 'The link has been cancelled.' : 'The order has been closed.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={isLink ? 'Cancel this link?' : 'Close this order?'}
      description={`From then on ${order.name} cannot pay these ${formatRupees(order.amount)} any more. A payment in progress still counts. This cannot be undone; create a new link instead.`}
      verb={isLink ? 'Cancel the link' : 'Close the order'}
      isDangerous
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}

export function RefundDialogue({ order, onClose }: Props) {
  const path = useInstitutePath()
  const [part, setPart] = useState('whole')
  const [typed, setTyped] = useState('')
  const [byFee, setByFee] = useState<Record<string, string>>({})
  const [isEmpty, setIsEmpty] = useState(false)
  const left = leftByFee(order)
  const details = left
    .map(({ component_type }) => ({ component_type, amount: plainAmount(byFee[component_type] ?? '') }))
    .filter(line => line.amount !== '')
  const amount =
    part === 'whole'
      ? order.refundable
      : part === 'part'
        ? rupeesOf(typed)
        : sumRupees(details.map(line => rupeesOf(line.amount)))
  const refund = useCommand<RefundBody, RefundedAnswer | ApprovalAnswer>({
    method: 'POST',
    path: `${path}/orders/${order.id}/refunds`,
    refreshes: REFRESHES,
    onDone(answer) {
      if (!isKept(answer)) notify(`${formatRupees(answer.amount)} is on its way back to ${order.name}.`)
      onClose()
    },
  })
  const problemAt = (component: string): string | undefined =>
    problemOf(refund.error, `details.${details.findIndex(line => line.component_type === component)}.amount`)
  const paid = order.payments.find(payment => payment.status === 'captured' && !payment.is_duplicate)
  const shown = Number.isFinite(amount) && amount > 0 ? formatRupees(amount) : 'The amount'
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Refund this payment"
      description={`${shown} goes back to ${order.name} the way it was paid (${modeLabel(paid?.mode ?? '')}), usually within 5 to 7 working days, and is deducted from a later settlement. This cannot be undone.`}
      verb={part === 'whole' ? `Refund ${formatRupees(order.refundable)}` : 'Refund this amount'}
      isDangerous
      isBusy={refund.isPending}
      error={refund.error}
      problem={isEmpty ? 'Enter an amount for at least one fee.' : problemOf(refund.error, 'details')}
      onConfirm={reason => {
        setIsEmpty(part === 'fees' && details.length === 0)
        if (part === 'fees' && details.length === 0) return
        refund.mutate(
          part === 'whole'
            ? { reason }
            : part === 'part'
              ? { reason, amount: plainAmount(typed) }
              : { reason, details },
        )
      }}
    >
      <Radio.Group label="How much" value={part} onChange={setPart} mb="sm">
        <Stack gap="xs" mt={4}>
          <Radio value="whole" label={`The full remaining amount, ${formatRupees(order.refundable)}`} />
          <Radio value="part" label="Part of it, spread over all fees" />
          <Radio value="fees" label="By fee" />
        </Stack>
      </Radio.Group>
      {part === 'part' && (
        <AmountInput
          label="Amount in rupees"
          required
          mb="sm"
          value={typed}
          onChange={setTyped}
          error={problemOf(refund.error, 'amount')}
        />
      )}
      {part === 'fees' && <FeeInputs left={left} typed={byFee} onChange={setByFee} problemAt={problemAt} />}
    </ConfirmWithReason>
  )
}

type RefundableFee = { component_type: string; label: string; amount: number }

function FeeInputs({
  left,
  typed,
  onChange,
  problemAt,
}: {
  left: readonly RefundableFee[]
  typed: Record<string, string>
  onChange: (typed: Record<string, string>) => void
  problemAt: (component: string) => string | undefined
}) {
  return left.map(({ component_type, label, amount: most }) => (
    <AmountInput
      key={component_type}
      label={`${label}, at most ${formatRupees(most)}`}
      mb="sm"
      value={typed[component_type] ?? ''}
      onChange={amount => onChange({ ...typed, [component_type]: amount })}
      error={problemAt(component_type)}
    />
  ))
}

type RefundBody = {
  reason: string
  amount?: string
  details?: { component_type: string; amount: string }[]
}

/** What can still be given back of each fee; a fee may stand on several lines. */
function leftByFee(order: OrderDetailAnswer): RefundableFee[] {
  const paise = new Map<string, number>()
  const add = (component: string, rupees: number): void => {
    paise.set(component, (paise.get(component) ?? 0) + Math.round(rupees * 100))
  }
  for (const line of order.details) add(line.component_type, line.amount)
  for (const refund of order.refunds) {
    if (refund.kind === 'duplicate' || refund.status === 'failed') continue
    for (const line of refund.details) add(line.component_type, -line.amount)
  }
  return [...paise]
    .filter(([, amount]) => amount > 0)
    .map(([component_type, amount]) => ({
      component_type,
      label: feeName(order, component_type),
      amount: amount / 100,
    }))
}

export function SendDialogue({ order, onClose }: Props) {
  const path = useInstitutePath()
  const [channels, setChannels] = useState(['email'])
  const [language, setLanguage] = useState('')
  const send = useCommand<{ channels: string[]; language?: string }, SentAnswer>({
    method: 'POST',
    path: `${path}/orders/${order.id}/messages`,
    refreshes: ['order', 'audit'],
    onDone({ recipients }) {
      notify(recipients.length === 1 ? 'The message is on its way.' : 'The messages are on their way.')
      onClose()
    },
  })
  return (
    <Dialogue onClose={onClose} title="Send the link">
      <form
        onSubmit={event => {
          event.preventDefault()
          send.mutate(language === '' ? { channels } : { channels, language })
        }}
      >
        <Stack gap="sm">
          <p>
            {order.name} gets a short message: how much, what for, and the link. At most six messages about
            one order leave in a day.
          </p>
          <Checkbox.Group label="How" value={channels} onChange={setChannels}>
            <Stack gap="xs" mt={4}>
              <Checkbox value="email" label={`E-mail to ${order.email}`} />
              <Checkbox value="sms" label={`SMS to ${order.phone}`} />
            </Stack>
          </Checkbox.Group>
          <LanguageSelect value={language} onChange={setLanguage} none="The family’s own" />
          <Problem error={send.error} of="channels" />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={send.isPending} disabled={channels.length === 0}>
              Send
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialogue>
  )
}
