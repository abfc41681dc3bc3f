import { useCommand } from '../../api/command.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../ui/toasts.tsx'

/** For a report that a person has looked at: it stays as it was reported and is a difference no more. */
export function ResolveDialogue({
  path,
  what,
  refreshes,
  onClose,
}: {
  path: string
  what: string
  refreshes: readonly string[]
  onClose: () => void
}) {
  const resolve = useCommand<{ reason: string }>({
    method: 'POST',
    path,
    refreshes,
    onDone() {
      notify('It is marked as looked at.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Mark ${what} as looked at?`}
      description="Look it up in the provider’s dashboard first. It stays recorded as it was reported, with your reason, and is not counted as a difference any more. No money moves; if it matches later, it is settled as usual."
      verb="Mark it as looked at"
      isBusy={resolve.isPending}
      error={resolve.error}
      onConfirm={reason => resolve.mutate({ reason })}
    />
  )
}
