import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { StudentRowAnswer } from '../../../../../src/console/students/students.output.ts'
import { problemOf } from '../../../api/command.ts'
import { list } from '../../../api/client.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { formatRupees } from '../../../ui/money.tsx'
import type { Form } from '../field.tsx'

const SHORTEST = 2

/** An identifier alone is only shown and searched for; whose dues an order lowers has to be said. */
export function SettleDues({ form }: { form: Form }) {
  const identifier = (form.values['identifier'] ?? '').trim()
  const students = useStudentsOf(identifier)
  const chosen = form.values['service_student_id'] ?? ''
  const isGone = chosen !== '' && students.every(one => one.service_student_id !== chosen)
  // Somebody went on typing: what was chosen for another identifier no longer holds.
  useEffect(() => {
    if (isGone) form.set({ service_student_id: '' })
  })
  if (identifier === '') return null
  if (students.length === 0)
    return (
      <p className="faint">
        An identifier is only shown and searched for. It does not lower a student’s dues.
      </p>
    )
  return (
    <NativeSelect
      mt="sm"
      maw={560}
      label="Does it pay a student’s dues?"
      description="The identifier alone lowers nobody’s dues. Choose the student if this is for fees that are registered; fees of the same name are then set off."
      value={isGone ? '' : chosen}
      onChange={event => form.set({ service_student_id: event.currentTarget.value })}
      error={problemOf(form.error, 'service_student_id')}
      data={[
        { value: '', label: 'No, it stands by itself' },
        ...students.map(one => ({ value: one.service_student_id, label: describe(one) })),
      ]}
    />
  )
}

function describe(one: StudentRowAnswer): string {
  const year = `${one.academic_year_start}-${String(one.academic_year_end).slice(-2)}`
  return `Yes: ${one.fullname}, ${one.grade_name}, ${year}, ${formatRupees(one.outstanding_amount)} outstanding`
}

/** Those with exactly this identifier, of every year. */
function useStudentsOf(identifier: string): StudentRowAnswer[] {
  const path = useInstitutePath()
  const found = useQuery({
    queryKey: ['students', path, 'identifier', identifier],
    queryFn: ({ signal }) =>
      list<StudentRowAnswer>(`${path}/students`, { q: identifier, limit: '50' }, signal),
    enabled: identifier.length >= SHORTEST,
  })
  const rows = found.data?.rows ?? []
  return rows.filter(one => one.identifier === identifier)
}
