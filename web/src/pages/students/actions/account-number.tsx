import { Button, Group } from '@mantine/core'
import { useCommand } from '../../../api/command.ts'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

/** Has the payment provider open an account number to which the family transfers fees. */
export function AccountNumberDialogue({ student, onClose }: ActionProps) {
  const give = useCommand<Record<string, never>, { account_number: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/virtual-account`,
    refreshes: AFTER_CHANGE,
    onDone({ account_number: number }) {
      notify(`The account number is ${number}.`)
      onClose()
    },
  })
  return (
    <Dialogue onClose={onClose} title="Give an account number">
      <p>
        {student.fullname} gets an account number that is its own. What the family transfers to it is recorded
        by itself: late fees are paid first, then what was due first, and the rest stays as an advance. The
        family sees the number on its page.
      </p>
      <Problem error={give.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={give.isPending} onClick={() => give.mutate({})}>
          Give the number
        </Button>
      </Group>
    </Dialogue>
  )
}
