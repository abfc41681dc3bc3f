import { Button, Checkbox, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedTokenAnswer, TokenScopeAnswer } from '../../../../src/console/tokens/tokens.routes.ts'
import type { AccountAnswer } from '../../../../src/console/team/team.schemas.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { CopyButton } from '../../ui/link/copy-button.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import '../developers/developers.css'

type NewToken = { name: string; scopes: string[]; days: number; password?: string }

const DAYS = [
  { value: '7', label: 'A week' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
]

export function NewTokenDialogue({ onClose }: { onClose: () => void }) {
  const path = useInstitutePath()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [days, setDays] = useState('90')
  const [password, setPassword] = useState('')
  const [made, setMade] = useState<CreatedTokenAnswer | null>(null)
  const make = useCommand<NewToken, CreatedTokenAnswer>({
    method: 'POST',
    path: `${path}/tokens`,
    withoutKey: true,
    refreshes: ['tokens', 'audit'],
    onDone: setMade,
  })
  const offered = useQuery({
    queryKey: ['token-scopes', path],
    queryFn: ({ signal }) => get<TokenScopeAnswer[]>(`${path}/tokens/scopes`, {}, signal),
  })
  const account = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => get<AccountAnswer>('/account', {}, signal),
  })
  if (made !== null) return <TokenDialogue made={made} onClose={onClose} />
  return (
    <FormDialogue
      title="Create a token"
      verb="Create the token"
      isBusy={make.isPending}
      error={make.error}
      onSubmit={() =>
        make.mutate({ name, scopes, days: Number(days), ...(account.data?.has_password && { password }) })
      }
      onClose={onClose}
    >
      <TextInput
        label="Which assistant has it"
        required
        maxLength={60}
        data-autofocus
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={problemOf(make.error, 'name')}
      />
      <Checkbox.Group
        label="What it may do besides reading"
        description="Each act is shown to you by the assistant before it is done."
        value={scopes}
        onChange={setScopes}
        error={problemOf(make.error, 'scopes')}
      >
        <Stack mt="xs" gap="xs">
          {offered.data?.map(({ scope, means }) => (
            <Checkbox key={scope} value={scope} label={means} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label="Good for"
        data={DAYS}
        value={days}
        allowDeselect={false}
        onChange={value => setDays(value ?? '90')}
        error={problemOf(make.error, 'days')}
      />
      {account.data?.has_password && (
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={event => setPassword(event.currentTarget.value)}
          error={problemOf(make.error, 'password')}
        />
      )}
    </FormDialogue>
  )
}

function TokenDialogue({ made, onClose }: { made: CreatedTokenAnswer; onClose: () => void }) {
  return (
    <Dialogue onClose={onClose} title={`The token of ${made.name}`} isKept>
      <p>Copy it now. It is shown only once and is not stored.</p>
      <code className="secret mono">{made.token}</code>
      <p className="faint">The assistant connects to</p>
      <code className="secret mono">{location.origin}/mcp</code>
      <Group justify="flex-end" mt="md">
        <CopyButton text={made.token}>Copy the token</CopyButton>
        <Button onClick={onClose}>I have stored it</Button>
      </Group>
    </Dialogue>
  )
}
