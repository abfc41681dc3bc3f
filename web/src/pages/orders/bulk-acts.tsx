import { Button, Checkbox, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { counted } from '../../ui/money.tsx'
import { BulkDialogue } from '../../ui/table/bulk-dialogue.tsx'
import { countOf, type PickedRows } from '../../ui/table/list-parts.tsx'

type Props = { path: string; picked: PickedRows }

const REFRESHES = ['orders', 'audit', 'home']

/** What can be done with orders that are picked, or with all that fit. */
export function OrderActs({ path, picked }: Props) {
  const [act, setAct] = useState<'send' | 'cancel' | null>(null)
  const close = (): void => setAct(null)
  if (!useMay('owner', 'finance')) return null
  return (
    <>
      <Button size="xs" onClick={() => setAct('send')}>
        Send the links again
      </Button>
      <Button size="xs" variant="default" onClick={() => setAct('cancel')}>
        Cancel these
      </Button>
      {act === 'send' && <SendDialogue path={path} picked={picked} onClose={close} />}
      {act === 'cancel' && <CancelDialogue path={path} picked={picked} onClose={close} />}
    </>
  )
}

type Opened = Props & { onClose: () => void }

function SendDialogue({ path, picked, onClose }: Opened) {
  const [channels, setChannels] = useState<string[]>(['email', 'sms'])
  const [isForced, setIsForced] = useState(false)
  const [isAsked, setIsAsked] = useState(false)
  return (
    <BulkDialogue
      title={`Send ${counted(countOf(picked), 'link')} again?`}
      description="Each payer gets the link once more, in the language of the family. Messages to phones wait for the school’s hours. What is paid, cancelled or expired is left out."
      verb="Send"
      done={['link sent', 'links sent']}
      picked={picked}
      run={{ list: path, path: `${path}/messages`, ids: 'order_ids', refreshes: REFRESHES }}
      body={() => {
        setIsAsked(true)
        return channels.length === 0 ? null : { channels, is_forced: isForced }
      }}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Checkbox.Group
          label="How"
          value={channels}
          onChange={setChannels}
          error={isAsked && channels.length === 0 ? 'Choose at least one' : undefined}
        >
          <Stack gap="xs" mt={4}>
            <Checkbox value="email" label="E-mail" />
            <Checkbox value="sms" label="SMS or WhatsApp" />
          </Stack>
        </Checkbox.Group>
        <Checkbox
          label="Also to families who were told within the last day"
          checked={isForced}
          onChange={event => setIsForced(event.currentTarget.checked)}
        />
      </Stack>
    </BulkDialogue>
  )
}

function CancelDialogue({ path, picked, onClose }: Opened) {
  const [reason, setReason] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  return (
    <BulkDialogue
      title={`Cancel ${counted(countOf(picked), 'order or link', 'orders and links')}?`}
      description="Nobody can start to pay them any more. A payment that is under way still counts. What is paid already is left out."
      verb="Cancel these orders and links"
      done={['order or link cancelled', 'orders and links cancelled']}
      isDangerous
      picked={picked}
      run={{ list: path, path: `${path}/cancellations`, ids: 'order_ids', refreshes: REFRESHES }}
      body={() => {
        setIsAsked(true)
        return reason.trim() === '' ? null : { reason: reason.trim() }
      }}
      onClose={onClose}
    >
      <Textarea
        label="Reason"
        withAsterisk
        description="Recorded in the audit log."
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
        error={isAsked && reason.trim() === '' ? 'Enter a reason' : undefined}
        maxLength={500}
        autosize
        minRows={2}
        data-autofocus
      />
    </BulkDialogue>
  )
}
