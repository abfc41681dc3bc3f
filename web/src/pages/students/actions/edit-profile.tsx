import { Alert, TextInput } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
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
      {PROFILE_FIELDS.map(field => (
        <TextInput
          key={field.name}
          label={field.label}
          mb="sm"
          type={'type' in field ? field.type : 'text'}
          value={typed[field.name] ?? student[field.name] ?? ''}
          onChange={event => setTyped({ ...typed, [field.name]: event.currentTarget.value })}
          error={problemOf(change.error, field.name)}
        />
      ))}
    </ConfirmWithReason>
  )
}
