import { Checkbox, NumberInput, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { IssuedKeyAnswer, ScopeAnswer } from '../../../../../src/console/developers/developers.routes.ts'
import { get } from '../../../api/client.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { FormDialogue } from '../form-dialogue.tsx'
import { SecretDialogue } from './secret-dialogue.tsx'

/** What an ERP needs to collect fees. */
const USUAL = ['read', 'orders', 'students']

type NewKey = { label: string; scopes: string[]; rate_per_second?: number | undefined }

export function NewKeyDialogue({ onClose }: { onClose: () => void }) {
  const path = useInstitutePath()
  const isOwner = useMay('owner')
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<string[]>(USUAL)
  const [rate, setRate] = useState<number | string>('')
  const [issued, setIssued] = useState<IssuedKeyAnswer | null>(null)
  const make = useCommand<NewKey, IssuedKeyAnswer>({
    method: 'POST',
    path: `${path}/keys`,
    refreshes: ['keys', 'audit'],
    onDone: setIssued,
  })
  const grantable = useQuery({
    queryKey: ['scopes', path],
    queryFn: ({ signal }) => get<ScopeAnswer[]>(`${path}/keys/scopes`, {}, signal),
  })
  const isOffered = (scope: string): boolean => grantable.data?.some(one => one.scope === scope) ?? false
  if (issued !== null) return <SecretDialogue issued={issued} onClose={onClose} />
  return (
    <FormDialogue
      title="Create an API key"
      verb="Create the key"
      isBusy={make.isPending}
      error={make.error}
      onSubmit={() =>
        make.mutate({
          label,
          scopes: scopes.filter(isOffered),
          rate_per_second: rate === '' ? undefined : Number(rate),
        })
      }
      onClose={onClose}
    >
      <TextInput
        label="What it is for"
        description="Two keys with the same name may be active, so that one can replace the other."
        required
        maxLength={64}
        data-autofocus
        value={label}
        onChange={event => setLabel(event.currentTarget.value)}
        error={problemOf(make.error, 'label')}
      />
      <Checkbox.Group
        label="What it may do"
        description={
          isOwner ? undefined : 'You can grant what you may do yourself; an owner grants the rest.'
        }
        value={scopes}
        onChange={setScopes}
        error={problemOf(make.error, 'scopes') === undefined ? undefined : 'Choose at least one'}
      >
        <Stack mt="xs" gap="xs">
          {grantable.data?.map(({ scope, means }) => (
            <Checkbox key={scope} value={scope} label={nameOf(scope)} description={means} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NumberInput
        label="Requests a second"
        description="Leave empty for the default of 1,000."
        min={1}
        max={1_000_000}
        allowDecimal={false}
        hideControls
        value={rate}
        onChange={setRate}
        error={problemOf(make.error, 'rate_per_second')}
      />
    </FormDialogue>
  )
}

function nameOf(scope: string): string {
  return scope.slice(0, 1).toUpperCase() + scope.slice(1)
}
