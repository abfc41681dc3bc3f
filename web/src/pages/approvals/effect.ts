import type { ApprovalAnswer } from '../../../../src/console/approvals/approval.list.ts'
import { counted, formatRupees } from '../../ui/money.tsx'

/** How many children a request is about, and what they have to pay before and after. */
export function effectText({ students, before_amount: before, after_amount: after }: ApprovalAnswer): string {
  if (students === undefined) return ''
  const who = counted(students, 'student')
  if (before === undefined || after === undefined) return `${who} would have to pay less.`
  return `${who}: ${formatRupees(before)} to pay becomes ${formatRupees(after)}.`
}
