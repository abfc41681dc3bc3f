import { Alert, Button, Group, Textarea } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { problemOf, wholeProblem } from '../api/act.ts'
import { Dialogue } from './dialogue.tsx'

type Confirm = {
  isOpen: boolean
  onClose: () => void
  /** What is asked, such as "Remove Meera Iyer?". */
  title: string
  /** One sentence: what will happen. */
  say: ReactNode
  /** What the button does, as a verb. */
  verb: string
  /** Red, for what stops or loses money. */
  isGrave?: boolean
  /** Fields that the act takes beside its reason. */
  children?: ReactNode
  isBusy: boolean
  error: Error | null
  onConfirm: (reason: string) => void
}

/** Asks once, says what will happen, wants a reason. The reason stands in the audit log. */
export function ConfirmWithReason(props: Confirm) {
  const { isOpen, onClose, title, say, verb, isGrave = false, children, isBusy, error, onConfirm } = props
  const [reason, setReason] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const isMissing = reason.trim() === ''
  const whole = wholeProblem(error)
  const close = (): void => {
    setReason('')
    setIsAsked(false)
    onClose()
  }
  return (
    <Dialogue isOpen={isOpen} onClose={close} title={title}>
      <form
        onSubmit={event => {
          event.preventDefault()
          setIsAsked(true)
          if (!isMissing) onConfirm(reason.trim())
        }}
      >
        <p>{say}</p>
        {children}
        <Textarea
          label="Reason"
          description="Stands in the audit log."
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          error={isAsked && isMissing ? 'Say why, in a few words' : problemOf(error, 'reason')}
          maxLength={500}
          autosize
          minRows={2}
          data-autofocus
        />
        {whole !== undefined && (
          <Alert color="red" role="alert" mt="sm">
            {whole}
          </Alert>
        )}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={isBusy} color={isGrave ? 'red.8' : 'bursar'}>
            {verb}
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}
