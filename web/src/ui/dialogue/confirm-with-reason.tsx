import { Button, Group, Textarea } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { problemOf, wholeProblem } from '../../api/command.ts'
import { ProblemAlert } from '../problem.tsx'
import { Dialogue } from './dialogue.tsx'

type Confirm = {
  isOpen: boolean
  onClose: () => void
  title: string
  description: ReactNode
  /** What the button does, as a verb. */
  verb: string
  /** Red, for what stops or loses money. */
  isDangerous?: boolean
  /** Who else reads the reason. */
  reasonHint?: string
  /** Fields that the action takes beside its reason. */
  children?: ReactNode
  isBusy: boolean
  error: Error | null
  /** What is wrong with a field that is not in the dialogue. */
  problem?: string | undefined
  onConfirm: (reason: string) => void
}

/** Asks for confirmation and a reason, which is recorded in the audit log. */
export function ConfirmWithReason(props: Confirm) {
  const {
    isOpen,
    onClose,
    title,
    description,
    verb,
    isDangerous = false,
    reasonHint = 'Recorded in the audit log.',
    children,
    isBusy,
    error,
    problem,
    onConfirm,
  } = props
  const [reason, setReason] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const isMissing = reason.trim() === ''
  const whole = wholeProblem(error) ?? problem
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
        <p>{description}</p>
        {children}
        <Textarea
          label="Reason"
          withAsterisk
          description={reasonHint}
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          error={isAsked && isMissing ? 'Enter a reason' : problemOf(error, 'reason')}
          maxLength={500}
          autosize
          minRows={2}
          data-autofocus
        />
        {whole !== undefined && <ProblemAlert>{whole}</ProblemAlert>}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            {/^Cancel\b/.test(verb) ? 'Go back' : 'Cancel'}
          </Button>
          <Button type="submit" loading={isBusy} color={isDangerous ? 'red.8' : 'bursar'}>
            {verb}
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}
