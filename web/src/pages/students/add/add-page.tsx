import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ChoicesFailed } from '../../../ui/choices-failed.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { PageFrame } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { CodeList } from '../../../ui/form/field.tsx'
import { useChoices } from '../../../api/choices.ts'
import { useCurrentYear } from '../use-student.ts'

const TRAIL: readonly Crumb[] = [{ label: 'Students', to: '/i/$institute/students' }]

const FIELDS = [
  { name: 'identifier', label: 'Admission no.', isRequired: true },
  { name: 'fullname', label: 'Student’s name', isRequired: true },
  { name: 'grade', label: 'Class', isRequired: true, list: 'add-grades' },
  { name: 'section', label: 'Section' },
  { name: 'primary_contact_name', label: 'Parent’s name', isRequired: true },
  { name: 'primary_contact_number', label: 'Mobile of the family', isRequired: true, inputMode: 'tel' },
  { name: 'primary_contact_email', label: 'E-mail of the family', inputMode: 'email' },
  { name: 'date_of_birth', label: 'Date of birth', isDay: true },
  { name: 'custom_identifier', label: 'Roll or second number' },
  { name: 'category', label: 'Category', placeholder: 'Such as Staff' },
] as const

/** A student that the office registers itself. */
export function AddStudentPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const choices = useChoices()
  const [typed, setTyped] = useState<Record<string, string>>({ year: String(useCurrentYear()) })
  const set = (name: string, value: string): void => setTyped({ ...typed, [name]: value })
  const add = useCommand<Record<string, unknown>, { service_student_id: string }>({
    method: 'POST',
    path: `${path}/students`,
    refreshes: ['students', 'choices', 'home', 'audit'],
    onDone(added) {
      notify(`${typed['fullname'] ?? 'The student'} is registered.`)
      void navigate({
        to: '/i/$institute/students/$student',
        params: { institute, student: added.service_student_id },
      })
    },
  })
  const branches = choices.branches
  return (
    <PageFrame title="Add a student" back={<Crumbs trail={TRAIL} />}>
      <ChoicesFailed />
      <form
        className="form"
        onSubmit={event => {
          event.preventDefault()
          const { year = '', ...sent } = typed
          const filled = Object.entries(sent).filter(([, value]) => value.trim() !== '')
          const years = { academic_year_start: year, academic_year_end: String(Number(year) + 1) }
          add.mutate({ ...Object.fromEntries(filled), ...years })
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <StudentFields typed={typed} set={set} error={add.error} />
          <TextInput
            label="The academic year begins in"
            required
            value={typed['year'] ?? ''}
            error={problemOf(add.error, 'academic_year_start')}
            onChange={event => set('year', event.currentTarget.value)}
          />
          {branches.length > 1 && (
            <NativeSelect
              label="Branch"
              value={typed['collector_code'] ?? ''}
              onChange={event => set('collector_code', event.currentTarget.value)}
              data={[
                { value: '', label: 'The default branch' },
                ...branches.map(({ code, name }) => ({ value: code, label: name })),
              ]}
            />
          )}
        </SimpleGrid>
        <CodeList id="add-grades" entries={choices.grades} />
        <p className="faint">
          Brothers and sisters come together by the mobile number. If the year has a fee structure, the fees
          of the class are charged at once.
        </p>
        <Problem error={add.error} />
        <Group>
          <Button type="submit" loading={add.isPending}>
            Add the student
          </Button>
        </Group>
      </form>
    </PageFrame>
  )
}

function StudentFields({
  typed,
  set,
  error,
}: {
  typed: Record<string, string>
  set: (name: string, value: string) => void
  error: Error | null
}) {
  return (
    <>
      {FIELDS.map(({ name, label, ...field }) => {
        const shared = { label, value: typed[name] ?? '', error: problemOf(error, name) }
        if ('isDay' in field) return <DayInput key={name} {...shared} onChange={day => set(name, day)} />
        return (
          <TextInput
            key={name}
            {...shared}
            required={'isRequired' in field}
            {...('inputMode' in field ? { inputMode: field.inputMode } : {})}
            {...('list' in field ? { list: field.list } : {})}
            {...('placeholder' in field ? { placeholder: field.placeholder } : {})}
            onChange={event => set(name, event.currentTarget.value)}
            autoComplete="off"
          />
        )
      })}
    </>
  )
}
