import { Alert, Button, Group, TextInput } from '@mantine/core'
import { IconBrandWhatsapp } from '@tabler/icons-react'
import { useState } from 'react'
import type { StudentLinkAnswer } from '../../../../../src/console/students/students.output.ts'
import { fileAddress } from '../../../api/client.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { CopyButton } from '../../../ui/link/copy-button.tsx'
import { chatAddress } from '../contact.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

export function PaymentLinkDialogue({ student, onClose }: ActionProps) {
  const { dues, open_orders: open } = student
  const [amount, setAmount] = useState('')
  const [made, setMade] = useState<StudentLinkAnswer | null>(null)
  const order = useCommand<{ amount?: string }, StudentLinkAnswer>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/orders`,
    refreshes: AFTER_CHANGE,
    onDone: setMade,
  })
  const [earlier] = open
  if (made !== null) return <Made student={student} link={made} onClose={onClose} />
  return (
    <Dialogue onClose={onClose} title={`Payment link for ${student.fullname}`}>
      {earlier !== undefined && (
        <Alert color="yellow" mb="sm">
          <p>A link for {formatRupees(earlier.amount)} is open. Making another one closes it.</p>
          <LinkField url={earlier.redirect_url} />
        </Alert>
      )}
      <form
        onSubmit={event => {
          event.preventDefault()
          const plain = plainAmount(amount)
          order.mutate(plain === '' ? {} : { amount: plain })
        }}
      >
        <AmountInput
          label="Amount in rupees"
          description={`Empty: all that is due, ${formatRupees(dues.total_amount)}.`}
          value={amount}
          onChange={setAmount}
          error={problemOf(order.error, 'amount')}
          data-autofocus
        />
        <Problem error={order.error} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={order.isPending}>
            Create the link
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}

function LinkField({ url }: { url: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="end">
      <TextInput label="Link" value={url} readOnly flex={1} />
      <CopyButton text={url}>Copy</CopyButton>
    </Group>
  )
}

/** The link with all the ways to give it to the family. */
function Made({ student, link, onClose }: ActionProps & { link: StudentLinkAnswer }) {
  const { name: school } = useInstitute()
  const { fullname, primary_contact_number: phone } = student
  const text = `${school}: please pay ${formatRupees(link.amount)} for ${fullname} here: ${link.redirect_url}`
  return (
    <Dialogue onClose={onClose} title={`The link for ${formatRupees(link.amount)} is ready`}>
      <p>
        Send it to the parents, or let them scan it. It takes what is due until it is paid or another one is
        made.
      </p>
      <LinkField url={link.redirect_url} />
      <img
        src={fileAddress(`${useInstitutePath()}/orders/${link.order_id}/qr`)}
        alt={`QR code of ${link.redirect_url}`}
        width={200}
        height={200}
        className="qr"
      />
      <Group justify="flex-end" mt="md">
        <Button
          component="a"
          href={chatAddress(phone, text)}
          target="_blank"
          rel="noreferrer"
          leftSection={<IconBrandWhatsapp size={18} stroke={1.6} aria-hidden />}
        >
          Send by WhatsApp
        </Button>
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Dialogue>
  )
}
