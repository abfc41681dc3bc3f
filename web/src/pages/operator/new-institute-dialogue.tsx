import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf, useCommand } from '../../api/command.ts'
import { notify } from '../../ui/toasts.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'

type Branch = { collector_code: string; name: string }
type NewInstitute = { code: string; name: string; branches: Branch[] }

/** One branch to begin with; more are added on its page. */
export function NewInstituteDialogue({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [code, setCode] = useState('')
  const [branch, setBranch] = useState<Branch>({ collector_code: 'MAIN', name: 'Main branch' })
  const create = useCommand<NewInstitute, { code: string }>({
    method: 'POST',
    path: '/operator/institutes',
    refreshes: ['institutes', 'session'],
    onDone({ code: institute }) {
      notify(`${name} has been created. Invite its staff next.`)
      void navigate({ to: '/i/$institute/settings/team', params: { institute } })
    },
  })
  return (
    <FormDialogue
      title="Create an institute"
      verb="Create it"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ code, name, branches: [branch] })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="As parents know it."
        required
        data-autofocus
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={problemOf(create.error, 'name')}
      />
      <TextInput
        label="Code"
        description="Lower-case letters, digits and hyphens. It is part of addresses and cannot be changed later."
        required
        maxLength={63}
        placeholder="green-park"
        value={code}
        onChange={event => setCode(event.currentTarget.value)}
        error={problemOf(create.error, 'code')}
      />
      <TextInput
        label="Code of its first branch"
        required
        maxLength={64}
        value={branch.collector_code}
        onChange={event => setBranch({ ...branch, collector_code: event.currentTarget.value })}
        error={problemOf(create.error, 'branches.0.collector_code')}
      />
      <TextInput
        label="Name of its first branch"
        required
        value={branch.name}
        onChange={event => setBranch({ ...branch, name: event.currentTarget.value })}
        error={problemOf(create.error, 'branches.0.name')}
      />
    </FormDialogue>
  )
}
