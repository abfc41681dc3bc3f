import { Button, Group, NativeSelect, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { StudentRowAnswer } from '../../../../../src/console/students/student.list.ts'
import type { StudentPageAnswer } from '../../../../../src/console/students/students.output.ts'
import type { CreatedOrderAnswer } from '../../../../../src/orders/order.output.ts'
import { get } from '../../../api/client.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ChoicesFailed } from '../../../ui/choices-failed.tsx'
import { formatRupees, sumRupees } from '../../../ui/money.tsx'
import { StudentPicker } from '../../../ui/form/student-picker.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { MomentInput } from '../../../ui/form/day-input.tsx'
import { boundTo, CodeList, Field, type Form, FormProblem } from '../../../ui/form/field.tsx'
import { EMPTY_LINE, LinesInput, newLine, type Line } from '../lines-input.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { MakersOnly } from '../makers-only.tsx'
import { useChoices, type Choices } from '../../../api/choices.ts'
import { plainAmount, rupeesOf } from '../../../ui/form/amount.ts'

export function NewOrderPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const choices = useChoices()
  const navigate = useNavigate()
  const [values, setValues] = useState<Record<string, string>>({ kind: 'link' })
  const [lines, setLines] = useState<Line[]>([EMPTY_LINE])
  const [student, setStudent] = useState<StudentRowAnswer | null>(null)
  const owed = useOwed(student)
  const create = useCommand<Record<string, unknown>, CreatedOrderAnswer>({
    method: 'POST',
    path: `${path}/orders`,
    refreshes: ['orders', 'choices'],
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
  const choose = (one: StudentRowAnswer | null): void => {
    setStudent(one)
    if (one !== null) setValues({ ...values, ...payerOf(one) })
  }
  const total = sumRupees(details.map(line => rupeesOf(line.amount)))
  return (
    <MakersOnly title="New link or order">
      <ChoicesFailed />
      <form
        className="form"
        onSubmit={event => {
          event.preventDefault()
          create.mutate({
            ...values,
            details,
            ...(student === null ? {} : { service_student_id: student.service_student_id }),
            new_fee: lines.some(line => line.isNew),
          })
        }}
      >
        <Stack gap="lg">
          <KindChoice form={form} />
          <ForWhom student={student} onChoose={choose} error={create.error} />
          <Payer form={form} />
          <fieldset>
            <legend>What it is for</legend>
            <FillIn lines={lines} owed={owed} onFill={setLines} />
            <LinesInput
              lines={lines}
              onChange={setLines}
              choices={choices}
              owed={owed}
              error={create.error}
            />
          </fieldset>
          <More form={form} choices={choices} hasStudent={student !== null} />
          <FormProblem error={create.error} />
          <Group justify="flex-end">
            <LinkButton variant="default" to="/i/$institute/orders" params={{ institute }} search={{}}>
              Cancel
            </LinkButton>
            <Button type="submit" loading={create.isPending}>
              {total > 0 ? `Create, ${formatRupees(total)}` : 'Create'}
            </Button>
          </Group>
        </Stack>
      </form>
    </MakersOnly>
  )
}

function ForWhom({
  student,
  onChoose,
  error,
}: {
  student: StudentRowAnswer | null
  onChoose: (student: StudentRowAnswer | null) => void
  error: Error | null
}) {
  return (
    <fieldset>
      <legend>For whom</legend>
      <StudentPicker
        label="Student"
        description={
          student === null
            ? 'Choose the student whose dues it pays. Without one it stands by itself and lowers nobody’s dues.'
            : `It lowers the dues of ${student.fullname}: fees of the same name are set off.`
        }
        chosen={student}
        onChoose={onChoose}
        error={problemOf(error, 'service_student_id')}
      />
    </fieldset>
  )
}

function FillIn({
  lines,
  owed,
  onFill,
}: {
  lines: readonly Line[]
  owed: ReadonlyMap<string, string>
  onFill: (lines: Line[]) => void
}) {
  const isBlank = lines.every(line => line.component_type === '' && line.amount === '')
  if (!isBlank || owed.size === 0) return null
  return (
    <Button
      variant="default"
      size="xs"
      mb="sm"
      onClick={() => onFill([...owed].map(([code, amount]) => newLine(code, amount)))}
    >
      Fill in all that is left to pay
    </Button>
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
        <Radio value="order" label="Pay order" description="For one payment at once. It does not expire." />
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

function payerOf(student: StudentRowAnswer): Record<string, string> {
  return {
    name: student.primary_contact_name,
    phone: student.primary_contact_number,
    email: student.primary_contact_email,
  }
}

/** What is left of each of the student's fees, as it can be typed. */
function useOwed(student: StudentRowAnswer | null): ReadonlyMap<string, string> {
  const path = `${useInstitutePath()}/students/${student?.service_student_id}`
  const page = useQuery({
    queryKey: ['student', path],
    queryFn: ({ signal }) => get<StudentPageAnswer>(path, {}, signal),
    enabled: student !== null,
  })
  const components = student === null ? [] : (page.data?.dues.components ?? [])
  return new Map(
    components
      .filter(one => one.outstanding_amount > 0)
      .map(one => [one.component_type, String(one.outstanding_amount)]),
  )
}

function More({ form, choices, hasStudent }: { form: Form; choices: Choices; hasStudent: boolean }) {
  const branches = choices.branches.map(({ code: value, name: label }) => ({ value, label }))
  return (
    <fieldset>
      <legend>More</legend>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {!hasStudent && (
          <>
            <Field
              form={form}
              name="student_name"
              label="Name of somebody who is not registered"
              description="Only shown on the page and searched for."
            />
            <Field
              form={form}
              name="identifier"
              label="Admission no."
              description="Only shown and searched for; it lowers nobody’s dues."
            />
            <Field form={form} name="grade" label="Class" list="grades" />
          </>
        )}
        <MomentInput
          label="Can be paid until"
          description="Indian time. Leave empty if the link should not expire."
          {...boundTo(form, 'expires_at')}
        />
        {branches.length > 1 && !hasStudent && (
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
      <CodeList id="grades" entries={choices.grades} />
    </fieldset>
  )
}
