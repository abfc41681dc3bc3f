import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { OrderedAnswer } from '../../../../../src/console/students/students.output.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

export function PaymentLinkDialogue({ student, onClose }: ActionProps) {
  const { dues, open_orders: open } = student
  const [amount, setAmount] = useState('')
  const [made, setMade] = useState<OrderedAnswer | null>(null)
  const order = useCommand<{ amount?: string }, OrderedAnswer>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/orders`,
    refreshes: AFTER_CHANGE,
    onDone: setMade,
  })
  const [earlier] = open
  if (made !== null) {
    return (
      <Dialogue onClose={onClose} title="The link is ready">
        <p>Send it to the parents. It takes what is due until it is paid or another one is made.</p>
        <CopyField value={made.redirect_url} />
      </Dialogue>
    )
  }
  return (
    <Dialogue onClose={onClose} title={`Payment link for ${student.fullname}`}>
      {earlier !== undefined && (
        <Alert color="yellow" mb="sm">
          <p>A link for {formatRupees(earlier.amount)} is open. Making another one closes it.</p>
          <CopyField value={earlier.redirect_url} />
        </Alert>
      )}
      <form
        onSubmit={event => {
          event.preventDefault()
          const plain = plainAmount(amount)
          order.mutate(plain === '' ? {} : { amount: plain })
        }}
      >
        <AmountInput
          label="Amount in rupees"
          description={`Empty: all that is due, ${formatRupees(dues.total_amount)}.`}
          value={amount}
          onChange={setAmount}
          error={problemOf(order.error, 'amount')}
          data-autofocus
        />
        <Problem error={order.error} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={order.isPending}>
            Create the link
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}

/** Selects the text where the browser does not allow clipboard access: over plain http. */
function CopyField({ value }: { value: string }) {
  const field = useRef<HTMLInputElement>(null)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      notify('Copied.')
    } catch {
      field.current?.select()
      notify('Press Ctrl+C to copy the selected link.')
    }
  }
  return (
    <Group gap="xs" wrap="nowrap" align="end">
      <TextInput ref={field} label="Link" value={value} readOnly flex={1} className="mono" />
      <Button variant="default" onClick={() => void copy()}>
        Copy
      </Button>
    </Group>
  )
}
