import { Button, Checkbox, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { SentPageAnswer } from '../../../../../src/console/settings/school.routes.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { useFamilyPages } from '../../settings/families-page.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

type Channel = 'sms' | 'email'

/** Sends the primary contact where the family sees and pays its fees; the QR code is for the one at the counter. */
export function FamilyPageDialogue({ student, onClose }: ActionProps) {
  const path = useInstitutePath()
  const pages = useFamilyPages()
  const { primary_contact_number: phone, primary_contact_email: email } = student
  const [channels, setChannels] = useState<Channel[]>(['sms'])
  const send = useCommand<{ channels: Channel[] }, SentPageAnswer>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/family-page`,
    refreshes: AFTER_CHANGE,
    onDone() {
      notify('The message is on its way.')
      onClose()
    },
  })
  if (pages.data?.sign_in === false)
    return (
      <Dialogue onClose={onClose} title="The family’s page">
        <p>
          Parents cannot sign in with a code yet. An owner can allow it under Settings, Families. Until then,
          send a payment link.
        </p>
      </Dialogue>
    )
  return (
    <Dialogue onClose={onClose} title="Send the family its page">
      <p>
        There the family of {student.fullname} sees all its children’s fees, pays them and finds the receipts.
        It signs in with its phone number or e-mail address and a code.
      </p>
      <form
        onSubmit={event => {
          event.preventDefault()
          send.mutate({ channels })
        }}
      >
        <Checkbox.Group label="Send it by" value={channels} onChange={setChannels}>
          <Stack gap="xs" mt="xs">
            <Checkbox value="sms" label={`SMS to ${phone}`} />
            {email !== '' && <Checkbox value="email" label={`E-mail to ${email}`} />}
          </Stack>
        </Checkbox.Group>
        <Problem error={send.error} of="channels" />
        {pages.data !== undefined && (
          <p>
            <img
              src={`/console/api${path}/family-pages/qr`}
              alt={`QR code of ${pages.data.url}`}
              width={160}
              height={160}
            />
            <br />
            <span className="faint">Or let them scan this.</span>
          </p>
        )}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending} disabled={channels.length === 0}>
            Send
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}
