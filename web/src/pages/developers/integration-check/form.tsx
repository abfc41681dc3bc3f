import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { problemOf } from '../../../api/command.ts'
import { useBranches } from '../use-branches.ts'

export type WantedCheck = Partial<Record<FieldName, string>> & { collector_code?: string | undefined }
type FieldName = (typeof FIELDS)[number]['name']

const FIELDS = [
  {
    name: 'identifier',
    label: 'Identifier of an active student',
    hint: 'The events are about this student.',
  },
  {
    name: 'discontinued_identifier',
    label: 'A student who has left',
    hint: 'Your ERP answers student_discontinued.',
  },
  {
    name: 'transferred_identifier',
    label: 'A student who has changed branch',
    hint: 'Your ERP answers student_transferred.',
  },
  {
    name: 'data_error_identifier',
    label: 'A student whose record is wrong',
    hint: 'Your ERP answers data_error.',
  },
  {
    name: 'bookings_url',
    label: 'Address that shows your books',
    hint: 'At the host of your fetch-student endpoint; asked with payment_id.',
  },
] as const

type Check = { mutate: (wanted: WantedCheck) => void; isPending: boolean; error: Error | null }

type Props = {
  check: Check
  branch: string | undefined
  onBranch: (collectorCode: string) => void
}

export function CheckForm({ check, branch, onBranch }: Props) {
  const branches = useBranches()
  const [values, setValues] = useState<WantedCheck>({})
  return (
    <section className="card" aria-label="Check">
      <h2 className="section-title">Check the integration</h2>
      <form
        onSubmit={event => {
          event.preventDefault()
          const sent = Object.entries(values).filter(([, value]) => value?.trim() !== '')
          check.mutate({ ...Object.fromEntries(sent), collector_code: branch })
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
          {FIELDS.map(({ name, label, hint }) => (
            <TextInput
              key={name}
              label={label}
              description={hint}
              required={name === 'identifier'}
              maxLength={name === 'bookings_url' ? 2048 : 128}
              value={values[name] ?? ''}
              onChange={event => {
                const { value } = event.currentTarget
                setValues(before => ({ ...before, [name]: value }))
              }}
              error={problemOf(check.error, name)}
            />
          ))}
          {branches.length > 1 && (
            <NativeSelect
              label="Branch"
              data={branches.map(({ collector_code: value, name }) => ({ value, label: name }))}
              value={branch}
              onChange={change => onBranch(change.currentTarget.value)}
            />
          )}
        </SimpleGrid>
        <Button type="submit" mt="sm" loading={check.isPending}>
          Check
        </Button>
      </form>
    </section>
  )
}
