import { Link } from '@tanstack/react-router'
import { useCommand } from '../../../api/command.ts'
import { useInstitute } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { yearName } from '../../../ui/when.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

/** Who left comes back; who leaves is settled by the act of leaving. */
export function StatusDialogue({ student, onClose }: ActionProps) {
  const { fullname } = student
  const change = useCommand<{ status: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/status`,
    refreshes: AFTER_CHANGE,
    onDone() {
      notify(`${fullname} is active again.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Mark ${fullname} as active?`}
      description="The student can pay and be given an instalment plan again. A plan that was cancelled stays cancelled, and fees that its leaving made less stay so."
      verb="Mark as active"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ status: 'active', reason })}
    />
  )
}

/** A child is dropped year by year; who thinks of this year alone goes on being debited for the other one. */
export function OtherYears({ student, onClose }: ActionProps) {
  const { code: institute } = useInstitute()
  return student.other_years
    .filter(({ status }) => status === 'active')
    .map(({ service_student_id: id, academic_year_start, academic_year_end, total_amount: owed }) => (
      <p key={id}>
        The record of{' '}
        <Link to="/i/$institute/students/$student" params={{ institute, student: id }} onClick={onClose}>
          {yearName(academic_year_start, academic_year_end)}
        </Link>{' '}
        is active too and {owed > 0 ? `owes ${formatRupees(owed)}` : 'owes nothing'}. It stays active: settle
        its leaving there.
      </p>
    ))
}
