import '../orders.css'
import { Button, Group, NativeSelect, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreatedOrderAnswer } from '../../../../../src/orders/order.output.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { CodeList, Field, FormProblem, type Form } from '../field.tsx'
import { EMPTY_LINE, LinesInput, type Line } from '../lines-input.tsx'
import { LinkButton } from '../link-button.tsx'
import { MakersOnly } from '../makers-only.tsx'
import { useChoices } from '../use-choices.ts'
import { plainAmount } from '../texts.ts'
import { SettleDues } from './settle-dues.tsx'

export function NewOrderPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const choices = useChoices()
  const navigate = useNavigate()
  const [values, setValues] = useState<Record<string, string>>({ kind: 'link' })
  const [lines, setLines] = useState<Line[]>([EMPTY_LINE])
  const create = useCommand<Record<string, unknown>, CreatedOrderAnswer>({
    method: 'POST',
    path: `${path}/orders`,
    refreshes: ['orders', 'order-choices'],
    onDone({ order_id: order }) {
      notify('Created. Copy the link, show the QR code or send it.')
      void navigate({ to: '/i/$institute/orders/$order', params: { institute, order }, search: {} })
    },
  })
  const form: Form = {
    values,
    set: changes => setValues({ ...values, ...changes }),
    error: create.error,
  }
  const details = lines.map(line => ({
    component_type: line.component_type,
    amount: plainAmount(line.amount),
  }))
  const total = details.reduce((sum, line) => sum + (Number(line.amount) || 0), 0)
  return (
    <MakersOnly title="New link or order">
      <form
        className="form"
        onSubmit={event => {
          event.preventDefault()
          create.mutate({ ...values, details })
        }}
      >
        <Stack gap="lg">
          <KindChoice form={form} />
          <Payer form={form} />
          <fieldset>
            <legend>What it is for</legend>
            <LinesInput lines={lines} onChange={setLines} choices={choices} error={create.error} />
          </fieldset>
          <Student form={form} choices={choices} />
          <FormProblem error={create.error} />
          <Group justify="flex-end">
            <LinkButton variant="default" to="/i/$institute/orders" params={{ institute }} search={{}}>
              Cancel
            </LinkButton>
            <Button type="submit" loading={create.isPending}>
              {total > 0 ? `Create, ${formatRupees(total)}` : 'Make it'}
            </Button>
          </Group>
        </Stack>
      </form>
    </MakersOnly>
  )
}

function KindChoice({ form }: { form: Form }) {
  return (
    <Radio.Group label="Kind" value={form.values['kind'] ?? 'link'} onChange={kind => form.set({ kind })}>
      <Stack gap="xs" mt={4}>
        <Radio
          value="link"
          label="Payment link"
          description="To send to somebody. It can expire and be cancelled."
        />
        <Radio value="order" label="Pay order" description="As the ERP creates them, for one checkout." />
      </Stack>
    </Radio.Group>
  )
}

function Payer({ form }: { form: Form }) {
  return (
    <fieldset>
      <legend>Who pays</legend>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Field form={form} name="name" label="Name" required />
        <Field form={form} name="phone" label="Phone" type="tel" required />
        <Field form={form} name="email" label="E-mail" type="email" required />
      </SimpleGrid>
    </fieldset>
  )
}

function Student({ form, choices }: { form: Form; choices: ReturnType<typeof useChoices> }) {
  const branches = choices.branches.map(({ collector_code: value, name: label }) => ({ value, label }))
  return (
    <fieldset>
      <legend>More</legend>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Field form={form} name="student_name" label="Student" />
        <Field
          form={form}
          name="identifier"
          label="Identifier"
          description="For example an admission number."
        />
        <Field form={form} name="grade" label="Grade" list="grades" />
        <Field
          form={form}
          name="expires_at"
          label="Can be paid until"
          description="Indian time. Leave empty if the link should not expire."
          type="datetime-local"
        />
        {branches.length > 1 && (
          <NativeSelect
            label="Branch"
            required
            value={form.values['collector_code'] ?? ''}
            onChange={event => form.set({ collector_code: event.currentTarget.value })}
            error={problemOf(form.error, 'collector_code')}
            data={[{ value: '', label: 'Choose' }, ...branches]}
          />
        )}
      </SimpleGrid>
      <SettleDues form={form} />
      <CodeList id="grades" entries={choices.grades} />
    </fieldset>
  )
}
