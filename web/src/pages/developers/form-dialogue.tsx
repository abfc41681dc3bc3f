import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { Problem } from '../../ui/problem.tsx'

type Props = {
  title: string
  /** What the button does, as a verb. */
  verb: string
  isBusy: boolean
  error: Error | null
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A form in a dialogue, for actions that need no reason. */
export function FormDialogue({ title, verb, isBusy, error, onSubmit, onClose, children }: Props) {
  return (
    <Dialogue onClose={onClose} title={title}>
      <form
        onSubmit={event => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <Stack gap="sm">
          {children}
          <Problem error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialogue>
  )
}
