import { Button, Group, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import type { AccountAnswer } from '../../../../src/console/team/team.schemas.ts'
import { problemOf } from '../../api/command.ts'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { Problem } from '../../ui/problem.tsx'

export type Proof = { password?: string }
export type DialogueProps = { account: AccountAnswer; onClose: () => void }

/** Changing how one signs in needs the password again. */
export function ProofDialogue({
  account,
  onClose,
  action,
  title,
  verb,
}: DialogueProps & {
  action: { mutate: (proof: Proof) => void; error: Error | null; isPending: boolean }
  title: string
  verb: string
}) {
  const [password, setPassword] = useState('')
  return (
    <Dialogue onClose={onClose} title={title}>
      <form
        onSubmit={event => {
          event.preventDefault()
          action.mutate(account.has_password ? { password } : {})
        }}
      >
        <CurrentPassword account={account} value={password} onChange={setPassword} error={action.error} />
        <Problem error={action.error} />
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={action.isPending}>
            {verb}
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}

type Field = {
  account: AccountAnswer
  value: string
  onChange: (value: string) => void
  error: Error | null
}

/** Nothing for who has none. */
export function CurrentPassword({ account, value, onChange, error }: Field) {
  if (!account.has_password) return null
  return (
    <PasswordInput
      label="Your password"
      autoComplete="current-password"
      required
      data-autofocus
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      error={problemOf(error, 'password')}
    />
  )
}
