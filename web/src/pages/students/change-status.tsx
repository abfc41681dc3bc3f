import { useAct } from '../../api/act.ts'
import { ConfirmWithReason } from '../../ui/confirm-with-reason.tsx'
import { say } from '../../ui/toasts.tsx'
import type { ActProps } from './student-acts.tsx'
import { AFTER_ACT, useStudentPath } from './use-student.ts'

export function StatusDialogue({ student, onClose }: ActProps) {
  const isLeaving = student.status === 'active'
  const { fullname } = student
  const change = useAct<{ status: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/status`,
    refreshes: AFTER_ACT,
    onDone() {
      say(isLeaving ? `${fullname} is marked as dropped.` : `${fullname} is active again.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={isLeaving ? `Mark ${fullname} as dropped?` : `Mark ${fullname} as active?`}
      say={
        isLeaving
          ? 'Nothing more is debited: an instalment plan is cancelled when its next instalment comes up. What is owed stays owed, and you can mark the student as active again.'
          : 'The student can pay and be given an instalment plan again. A plan that was cancelled stays cancelled.'
      }
      verb={isLeaving ? 'Mark as dropped' : 'Mark as active'}
      isGrave={isLeaving}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ status: isLeaving ? 'dropped' : 'active', reason })}
    />
  )
}
