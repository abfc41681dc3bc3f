import { Button, PasswordInput, Stack } from '@mantine/core'
import { useState } from 'react'
import type { AccountAnswer } from '../../../../src/console/team/team.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { Problem } from '../../ui/problem.tsx'
import { notify } from '../../ui/toasts.tsx'

type Change = { password?: string; new_password: string }

export function PasswordForm({ account }: { account: AccountAnswer }) {
  const [present, setPresent] = useState('')
  const [next, setNext] = useState('')
  const change = useCommand<Change>({
    method: 'POST',
    path: '/account/password',
    withoutKey: true,
    refreshes: ['account', 'sessions'],
    onDone() {
      setPresent('')
      setNext('')
      notify('Your password has been changed. All other sessions have ended.')
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        change.mutate({ ...(account.has_password ? { password: present } : {}), new_password: next })
      }}
    >
      <Stack gap="sm" maw={360}>
        {account.has_password ? (
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            required
            value={present}
            onChange={event => setPresent(event.currentTarget.value)}
            error={problemOf(change.error, 'password')}
          />
        ) : (
          <p className="faint">
            This demo user has no password: one click signs in. You can set one to try it.
          </p>
        )}
        <PasswordInput
          label="New password"
          description="At least 12 characters."
          autoComplete="new-password"
          required
          value={next}
          onChange={event => setNext(event.currentTarget.value)}
          error={problemOf(change.error, 'new_password')}
        />
        <Problem error={change.error} />
        <div>
          <Button type="submit" variant="default" loading={change.isPending}>
            Change the password
          </Button>
        </div>
      </Stack>
    </form>
  )
}
