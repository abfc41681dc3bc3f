import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'

const LOOKED_AT =
  'Look it up in the provider’s dashboard first. It stays recorded as it was reported, with your reason, and is not counted as a difference any more. No money moves; if it matches later, it is settled as usual.'
const GOES_BACK =
  'It pays nothing: it brought another amount than its order asks for, came to an account number that is closed, or was paid a second time. All of it goes back to the payer. An order that is not paid can be paid again.'

const IS_TAKEN =
  'It pays the student’s dues with the amount that came, the earlier lines of the order first. What is left stays due; what is more goes back or is kept as advance, as your rules say. What came by transfer to an account number is always kept.'
const DONE: Record<string, string> = {
  refund: 'It goes back to the payer.',
  take: 'It is taken as a payment of the dues.',
  resolve: 'It is marked as looked at.',
}

/** Decides a report that a person has looked at. What came with another amount than asked can be given back or taken instead. */
export function ResolveDialogue({
  path,
  what,
  refundable,
  isTakeable = false,
  refreshes,
  onClose,
}: {
  /** Address of the report. */
  path: string
  what: string
  /** What can be given back, as it is shown. */
  refundable?: string | undefined
  /** The money can be taken as a payment of a student's dues. */
  isTakeable?: boolean
  refreshes: readonly string[]
  onClose: () => void
}) {
  const [act, setAct] = useState(refundable === undefined ? 'resolve' : 'refund')
  const resolve = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/${act}`,
    refreshes,
    onDone(answer) {
      if (!isKept(answer)) notify(DONE[act] ?? '')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      {...wordsOf(act, act === 'resolve' ? what : (refundable ?? what))}
      isBusy={resolve.isPending}
      error={resolve.error}
      onConfirm={reason => resolve.mutate({ reason })}
    >
      {refundable !== undefined && (
        <Radio.Group label="What to do" value={act} onChange={setAct} mb="sm">
          <Stack gap="xs" mt="xs">
            <Radio value="refund" label={`Refund ${refundable} to the payer`} />
            {isTakeable && (
              <Radio value="take" label={`Take ${refundable} as a payment of the student’s dues`} />
            )}
            <Radio value="resolve" label="Mark it as looked at; it was dealt with elsewhere" />
          </Stack>
        </Radio.Group>
      )}
    </ConfirmWithReason>
  )
}

function wordsOf(act: string, what: string): { title: string; description: string; verb: string } {
  if (act === 'refund') return { title: `Refund ${what}?`, description: GOES_BACK, verb: `Refund ${what}` }
  if (act === 'take') return { title: `Take ${what}?`, description: IS_TAKEN, verb: `Take ${what}` }
  return { title: `Mark ${what} as looked at?`, description: LOOKED_AT, verb: 'Mark it as looked at' }
}
