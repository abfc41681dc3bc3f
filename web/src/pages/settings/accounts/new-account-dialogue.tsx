import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  AccountAnswer,
  AccountSetupAnswer,
} from '../../../../../src/providers/accounts/account.schemas.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { notify } from '../../../ui/toasts.tsx'
import { FormDialogue } from '../../developers/form-dialogue.tsx'
import { SettingsFields, toSettings, type Values } from './settings-fields.tsx'
import { METHODS, RAILS } from './texts.tsx'
import { toWays, WayFields, type WayDrafts } from './way-fields.tsx'

export type Uses = { methods: string[]; rails: string[]; ways: WayDrafts }
const ALL: Uses = { methods: METHODS.map(({ value }) => value), rails: [], ways: {} }

export function NewAccountDialogue({
  setup,
  onClose,
  onAdded,
}: {
  setup: AccountSetupAnswer
  onClose: () => void
  onAdded: (id: string) => void
}) {
  const path = `${useInstitutePath()}/provider-accounts`
  const [provider, setProvider] = useState(setup.providers[0]?.name ?? '')
  const [title, setTitle] = useState('')
  const [branch, setBranch] = useState('')
  const [uses, setUses] = useState(ALL)
  const [values, setValues] = useState<Values>({})
  const add = useCommand<object, AccountAnswer>({
    method: 'POST',
    path,
    withoutKey: true,
    refreshes: ['provider-accounts', 'audit'],
    onDone(account) {
      notify(
        `${account.title} is added. Enter its callback address at the provider, then check the connection.`,
      )
      onAdded(account.id)
    },
  })
  return (
    <FormDialogue
      title="Add a provider account"
      verb="Add the account"
      isBusy={add.isPending}
      error={add.error}
      onSubmit={() =>
        add.mutate({
          provider,
          title,
          ...(branch === '' ? {} : { collector_code: branch }),
          ...uses,
          ways: toWays(uses.ways),
          settings: toSettings(values),
        })
      }
      onClose={onClose}
    >
      <NativeSelect
        label="Provider"
        value={provider}
        onChange={event => {
          setProvider(event.currentTarget.value)
          setValues({})
        }}
        data={setup.providers.map(({ name, title: label }) => ({ value: name, label }))}
        error={problemOf(add.error, 'provider')}
      />
      <TextInput
        label="Name"
        description="What you call it, such as “Main account”."
        required
        maxLength={100}
        data-autofocus
        value={title}
        onChange={event => setTitle(event.currentTarget.value)}
        error={problemOf(add.error, 'title')}
      />
      <BranchField setup={setup} branch={branch} onChange={setBranch} error={add.error} />
      <UsesFields uses={uses} onChange={setUses} error={add.error} />
      <SettingsFields
        settings={setup.providers.find(({ name }) => name === provider)?.settings ?? []}
        values={values}
        onChange={setValues}
        error={add.error}
      />
    </FormDialogue>
  )
}

function BranchField({
  setup,
  branch,
  onChange,
  error,
}: {
  setup: AccountSetupAnswer
  branch: string
  onChange: (branch: string) => void
  error: Error | null
}) {
  return (
    <NativeSelect
      label="Whose money it takes"
      value={branch}
      onChange={event => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: 'All branches' },
        ...setup.branches.map(({ collector_code: value, name }) => ({ value, label: name })),
      ]}
      error={problemOf(error, 'collector_code')}
    />
  )
}

/** Only what is activated at the provider: parents are offered what is ticked. */
export function UsesFields({
  uses,
  onChange,
  error,
}: {
  uses: Uses
  onChange: (uses: Uses) => void
  error: Error | null
}) {
  return (
    <>
      <Checkbox.Group
        label="Payments by parents"
        description="What is activated for this account at the provider. Nothing else is offered to parents."
        value={uses.methods}
        onChange={methods => onChange({ ...uses, methods })}
        error={problemOf(error, 'methods')}
      >
        <Choices of={METHODS} />
      </Checkbox.Group>
      <WayFields
        methods={uses.methods}
        ways={uses.ways}
        onChange={ways => onChange({ ...uses, ways })}
        error={error}
      />
      <Checkbox.Group
        label="Mandates for instalments"
        value={uses.rails}
        onChange={rails => onChange({ ...uses, rails })}
        error={problemOf(error, 'rails')}
      >
        <Choices of={RAILS} />
      </Checkbox.Group>
    </>
  )
}

function Choices({ of }: { of: readonly { value: string; label: string }[] }) {
  return (
    <Group gap="md" my="xs">
      {of.map(({ value, label }) => (
        <Checkbox key={value} value={value} label={label} />
      ))}
    </Group>
  )
}
