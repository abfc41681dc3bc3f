import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useCommand } from '../../api/command.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../ui/toasts.tsx'

const LOOKED_AT =
  'Look it up in the provider’s dashboard first. It stays recorded as it was reported, with your reason, and is not counted as a difference any more. No money moves; if it matches later, it is settled as usual.'
const GOES_BACK =
  'It brought another amount than its order asks for, so it pays nothing. All of it goes back to the payer, and the order can be paid again.'

/** For a report that a person has looked at. What came with another amount than asked can be given back instead. */
export function ResolveDialogue({
  path,
  what,
  refundable,
  refreshes,
  onClose,
}: {
  /** Of the report. */
  path: string
  what: string
  /** What can be given back, as it is shown. */
  refundable?: string | undefined
  refreshes: readonly string[]
  onClose: () => void
}) {
  const [act, setAct] = useState(refundable === undefined ? 'resolve' : 'refund')
  const isRefund = act === 'refund'
  const resolve = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/${act}`,
    refreshes,
    onDone() {
      notify(isRefund ? 'It goes back to the payer.' : 'It is marked as looked at.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={isRefund ? `Refund ${refundable ?? what}?` : `Mark ${what} as looked at?`}
      description={isRefund ? GOES_BACK : LOOKED_AT}
      verb={isRefund ? `Refund ${refundable ?? ''}` : 'Mark it as looked at'}
      isBusy={resolve.isPending}
      error={resolve.error}
      onConfirm={reason => resolve.mutate({ reason })}
    >
      {refundable !== undefined && (
        <Radio.Group label="What to do" value={act} onChange={setAct} mb="sm">
          <Stack gap="xs" mt="xs">
            <Radio value="refund" label={`Refund ${refundable} to the payer`} />
            <Radio value="resolve" label="Mark it as looked at; it was dealt with elsewhere" />
          </Stack>
        </Radio.Group>
      )}
    </ConfirmWithReason>
  )
}
