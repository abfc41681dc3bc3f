import { Alert, TextInput } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { PROFILE_FIELDS } from '../profile-fields.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

/** Sends only what was changed, so that what the ERP changed meanwhile stays. */
export function EditProfileDialogue({ student, onClose }: ActionProps) {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const isMoved = typed['grade'] !== undefined && typed['grade'] !== student.grade
  const change = useCommand<Record<string, string>, { fee_summary: { outstanding: number } }>({
    method: 'PATCH',
    path: useStudentPath(student.service_student_id),
    refreshes: AFTER_CHANGE,
    onDone(answer) {
      onClose()
      if (isKept(answer)) return
      const owed = isMoved ? ` ${formatRupees(answer.fee_summary.outstanding)} of fees is owed now.` : ''
      notify(`The profile of ${student.fullname} is changed.${owed}`)
    },
  })
  const overwritten = student.has_erp ? ' The next fetch from the ERP replaces it by what the ERP says.' : ''
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Edit the profile"
      description={`Events and messages carry it from now on.${overwritten}`}
      verb="Save"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ ...typed, reason })}
    >
      {isMoved && (
        <Alert color="yellow" role="status" mb="sm">
          {student.origin === 'erp'
            ? 'The fees stay as they are: the ERP sends those of its students.'
            : 'Fees that the fee structure set become those of the new class. Fees that were set otherwise stay, and so do all fees if something is paid for one that the new class does not have.'}
        </Alert>
      )}
      {PROFILE_FIELDS.map(field => {
        const { name, label } = field
        const put = (value: string): void => setTyped({ ...typed, [name]: value })
        const shared = {
          label,
          mb: 'sm',
          value: typed[name] ?? student[name] ?? '',
          error: problemOf(change.error, name),
        }
        return 'isDay' in field ? (
          <DayInput key={name} {...shared} onChange={put} />
        ) : (
          <TextInput key={name} {...shared} onChange={event => put(event.currentTarget.value)} />
        )
      })}
    </ConfirmWithReason>
  )
}
