import { Checkbox, NativeSelect, NumberInput, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ErpSettingsAnswer } from '../../../../../src/console/developers/developers.routes.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../../ui/toasts.tsx'

export type ErpSettings = ErpSettingsAnswer['settings'][number]
export type ErpPlace = { code: string | undefined; name: string }

const LOOKUP = [
  { value: 'grade', label: 'Grade' },
  { value: 'custom_identifier', label: 'Second identifier' },
  { value: 'collector_code', label: 'Branch code' },
  { value: 'academic_year_start', label: 'Academic year, start' },
  { value: 'academic_year_end', label: 'Academic year, end' },
] as const

type Form = {
  url: string
  auth: string
  name: string
  secret: string
  lookup: string[]
  custom_schedule: boolean
  max_calls: number | string
}

function toBody(form: Form, place: ErpPlace, reason: string): object {
  const secret = form.secret === '' ? undefined : form.secret
  return {
    collector_code: place.code,
    url: form.url,
    ...(form.auth === 'basic' ? { username: form.name, password: secret } : {}),
    ...(form.auth === 'header' ? { header: { name: form.name, value: secret } } : {}),
    lookup: ['identifier', ...form.lookup],
    custom_schedule: form.custom_schedule,
    ...(form.max_calls === '' ? {} : { max_calls: Number(form.max_calls) }),
    reason,
  }
}

/** The secret is never shown; left empty it stays, as long as host and user name stay the same. */
export function ErpForm({
  place,
  settings,
  onClose,
}: {
  place: ErpPlace
  settings: ErpSettings | undefined
  onClose: () => void
}) {
  const path = useInstitutePath()
  const [form, setForm] = useState<Form>({
    url: settings?.url ?? '',
    auth: settings?.auth ?? 'basic',
    name: settings?.username ?? settings?.header_name ?? '',
    secret: '',
    lookup: (settings?.lookup ?? []).filter(name => name !== 'identifier'),
    custom_schedule: settings?.custom_schedule ?? false,
    max_calls: settings?.max_calls ?? 4,
  })
  const save = useCommand<{ reason: string }>({
    method: 'PUT',
    path: `${path}/erp`,
    body: ({ reason }) => toBody(form, place, reason),
    refreshes: ['erp', 'flex', 'audit'],
    onDone() {
      notify('The ERP is connected. Test it with a student.')
      onClose()
    },
  })
  const change = (part: Partial<Form>): void => setForm({ ...form, ...part })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`The ERP of ${place.name}`}
      description="From now on students are fetched from this address: before each debit, for reminders and when they are set up."
      verb="Save"
      isBusy={save.isPending}
      error={save.error}
      onConfirm={reason => save.mutate({ reason })}
    >
      <Stack gap="sm" mb="sm">
        <TextInput
          label="Fetch-student URL"
          type="url"
          required
          placeholder="https://erp.example.in/fetch-student"
          value={form.url}
          onChange={event => change({ url: event.currentTarget.value })}
          error={problemOf(save.error, 'url')}
        />
        <AuthFields form={form} change={change} error={save.error} isSet={settings !== undefined} />
        <LookupFields form={form} change={change} error={save.error} />
      </Stack>
    </ConfirmWithReason>
  )
}

type Fields = { form: Form; change: (part: Partial<Form>) => void; error: Error | null }

function LookupFields({ form, change, error }: Fields) {
  return (
    <>
      <Checkbox.Group
        label="Sent with the identifier"
        value={form.lookup}
        onChange={lookup => change({ lookup })}
        error={problemOf(error, 'lookup')}
      >
        <Stack gap={4} mt={4}>
          {LOOKUP.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label="Use the ERP’s own payment schedule"
        checked={form.custom_schedule}
        onChange={event => change({ custom_schedule: event.currentTarget.checked })}
      />
      <NumberInput
        label="Calls at once"
        min={1}
        max={256}
        allowDecimal={false}
        hideControls
        value={form.max_calls}
        onChange={max_calls => change({ max_calls })}
        error={problemOf(error, 'max_calls')}
      />
    </>
  )
}

function AuthFields({ form, change, error, isSet }: Fields & { isSet: boolean }) {
  const isBasic = form.auth === 'basic'
  return (
    <>
      <NativeSelect
        label="How it knows us"
        value={form.auth}
        onChange={event => change({ auth: event.currentTarget.value })}
        data={[
          { value: 'basic', label: 'User name and password' },
          { value: 'header', label: 'A header of its own' },
          { value: 'none', label: 'Nothing' },
        ]}
      />
      {form.auth !== 'none' && (
        <>
          <TextInput
            label={isBasic ? 'User name' : 'Name of the header'}
            required
            autoComplete="off"
            value={form.name}
            onChange={event => change({ name: event.currentTarget.value })}
            error={problemOf(error, 'username') ?? problemOf(error, 'header.name')}
          />
          <PasswordInput
            label={isBasic ? 'Password' : 'Value of the header'}
            description={
              isSet ? 'Leave empty to keep the present one; it is never shown.' : 'It is never shown again.'
            }
            autoComplete="new-password"
            value={form.secret}
            onChange={event => change({ secret: event.currentTarget.value })}
            error={problemOf(error, 'password') ?? problemOf(error, 'header.value')}
          />
        </>
      )}
    </>
  )
}
