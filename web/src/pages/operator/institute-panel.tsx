import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { InstituteAnswer } from '../../../../src/console/operator/operator.list.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { Summary } from '../../ui/detail.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'

type Props = { institute: InstituteAnswer; onDone: () => void }
type OpenDialogue = { kind: 'rename' } | { kind: 'branch' } | { kind: 'default'; code: string; name: string }

export function InstitutePanel({ institute, onDone }: Props) {
  const [asked, setAsked] = useState<OpenDialogue | null>(null)
  const close = (): void => setAsked(null)
  return (
    <>
      <Summary
        fields={[
          { label: 'Code', value: <span className="mono">{institute.code}</span> },
          { label: 'Since', value: <When at={institute.created_at} isReal /> },
          { label: 'Codes outside its catalogue', value: institute.strict_catalogue ? 'Refused' : 'Join it' },
        ]}
      />
      <Group gap="xs" my="md">
        <Link to="/i/$institute" params={{ institute: institute.code }} search={{}}>
          Go to its pages
        </Link>
        <Button variant="default" size="xs" onClick={() => setAsked({ kind: 'rename' })}>
          Rename
        </Button>
        <Button variant="default" size="xs" onClick={() => setAsked({ kind: 'branch' })}>
          Add a branch
        </Button>
      </Group>
      <h3 className="section-title">Branches</h3>
      <ul className="plain-list">
        {institute.branches.map(({ collector_code: code, name, is_default: isDefault }) => (
          <li key={code}>
            {name} <span className="mono faint">{code}</span>{' '}
            {isDefault ? (
              <StatusBadge tone="good">Default</StatusBadge>
            ) : (
              <Button
                variant="default"
                size="compact-xs"
                onClick={() => setAsked({ kind: 'default', code, name })}
              >
                Make {name} the default
              </Button>
            )}
          </li>
        ))}
      </ul>
      {asked?.kind === 'rename' && <Rename institute={institute} onClose={close} onDone={onDone} />}
      {asked?.kind === 'branch' && <NewBranch institute={institute} onClose={close} onDone={onDone} />}
      {asked?.kind === 'default' && (
        <ChooseDefault institute={institute} branch={asked} onClose={close} onDone={onDone} />
      )}
    </>
  )
}

function Rename({ institute, onClose, onDone }: Props & { onClose: () => void }) {
  const [name, setName] = useState(institute.name)
  const rename = useCommand<{ name: string; reason: string }>({
    method: 'PATCH',
    path: `/operator/institutes/${institute.code}`,
    refreshes: ['institutes', 'session'],
    onDone() {
      notify(`It is now called ${name}.`)
      onDone()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Rename ${institute.name}`}
      description="Parents will see the new name on pages, receipts and messages. The code does not change."
      verb="Rename it"
      isBusy={rename.isPending}
      error={rename.error}
      onConfirm={reason => rename.mutate({ name, reason })}
    >
      <TextInput
        label="Name"
        mb="sm"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={problemOf(rename.error, 'name')}
      />
    </ConfirmWithReason>
  )
}

function ChooseDefault({
  institute,
  branch,
  onClose,
  onDone,
}: Props & { branch: { code: string; name: string }; onClose: () => void }) {
  const choose = useCommand<{ collector_code: string; reason: string }>({
    method: 'PUT',
    path: `/operator/institutes/${institute.code}/default-branch`,
    refreshes: ['institutes'],
    onDone() {
      notify(`${branch.name} is the default branch now.`)
      onDone()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Create ${branch.name} the default?`}
      description="From now on everything that names no branch belongs to it. Earlier records stay where they are."
      verb="Make it the default"
      isBusy={choose.isPending}
      error={choose.error}
      onConfirm={reason => choose.mutate({ collector_code: branch.code, reason })}
    />
  )
}

function NewBranch({ institute, onClose, onDone }: Props & { onClose: () => void }) {
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const [isDefault, setIsDefault] = useState(false)
  const add = useCommand<{ collector_code: string; name: string; is_default: boolean }>({
    method: 'POST',
    path: `/operator/institutes/${institute.code}/branches`,
    refreshes: ['institutes', 'erp'],
    onDone() {
      notify(`${name} is there.`)
      onDone()
    },
  })
  return (
    <FormDialogue
      title={`Add a branch to ${institute.name}`}
      verb="Add the branch"
      isBusy={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate({ collector_code: code, name, is_default: isDefault })}
      onClose={onClose}
    >
      {institute.branches.length === 1 && (
        <p>With a second branch the ERP must name the branch in each request that it sends.</p>
      )}
      <TextInput
        label="Code"
        description="As the ERP names it (collector_code)."
        required
        maxLength={64}
        data-autofocus
        value={code}
        onChange={event => setCode(event.currentTarget.value)}
        error={problemOf(add.error, 'collector_code')}
      />
      <TextInput
        label="Name"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={problemOf(add.error, 'name')}
      />
      <Checkbox
        label="Make it the default branch"
        checked={isDefault}
        onChange={event => setIsDefault(event.currentTarget.checked)}
      />
    </FormDialogue>
  )
}
