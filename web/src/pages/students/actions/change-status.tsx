import { Link } from '@tanstack/react-router'
import { useCommand } from '../../../api/command.ts'
import { useInstitute } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { yearName } from '../../../ui/when.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

export function StatusDialogue({ student, onClose }: ActionProps) {
  const isLeaving = student.status === 'active'
  const { fullname } = student
  const change = useCommand<{ status: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/status`,
    refreshes: AFTER_CHANGE,
    onDone() {
      notify(isLeaving ? `${fullname} is marked as dropped.` : `${fullname} is active again.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={isLeaving ? `Mark ${fullname} as dropped?` : `Mark ${fullname} as active?`}
      description={
        isLeaving
          ? leavingText(student)
          : 'The student can pay and be given an instalment plan again. A plan that was cancelled stays cancelled.'
      }
      verb={isLeaving ? 'Mark as dropped' : 'Mark as active'}
      isDangerous={isLeaving}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ status: isLeaving ? 'dropped' : 'active', reason })}
    >
      {isLeaving && <OtherYears student={student} onClose={onClose} />}
    </ConfirmWithReason>
  )
}

/** What the family still owes, or has paid too much, is named before the student goes. */
function leavingText({ dues }: ActionProps['student']): string {
  const { total_amount: owed, advance_amount: advance } = dues
  return [
    owed > 0
      ? `${formatRupees(owed)} of the year stays owed by the family. If it should not, change the fees, let it off or take it at the counter first.`
      : 'Nothing of the year stays owed.',
    ...(advance > 0 ? [`${formatRupees(advance)} stands as an advance: refund it or use it first.`] : []),
    'Nothing more is debited: an instalment plan is cancelled now, and stays cancelled if you mark the student as active again.',
  ].join(' ')
}

/** A child is dropped year by year; who thinks of this year alone goes on being debited for the other one. */
function OtherYears({ student, onClose }: ActionProps) {
  const { code: institute } = useInstitute()
  return student.other_years
    .filter(({ status }) => status === 'active')
    .map(({ service_student_id: id, academic_year_start, academic_year_end, total_amount: owed }) => (
      <p key={id}>
        The record of{' '}
        <Link to="/i/$institute/students/$student" params={{ institute, student: id }} onClick={onClose}>
          {yearName(academic_year_start, academic_year_end)}
        </Link>{' '}
        is active too and {owed > 0 ? `owes ${formatRupees(owed)}` : 'owes nothing'}. It stays active: mark it
        as dropped by itself.
      </p>
    ))
}
