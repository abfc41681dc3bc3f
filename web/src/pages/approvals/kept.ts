import type { ApprovalAnswer } from '../../../../src/console/approvals/approval.list.ts'
import { notify } from '../../ui/toasts.tsx'

/** Says that it waits for a second person, where it does. */
export function isKept(answer: unknown): answer is ApprovalAnswer {
  const isWaiting = typeof answer === 'object' && answer !== null && 'approval_id' in answer
  if (isWaiting)
    notify(
      'This is more than one person may give away, so it waits until a colleague approves it, under Settings → Approvals. Nothing is changed yet.',
    )
  return isWaiting
}
