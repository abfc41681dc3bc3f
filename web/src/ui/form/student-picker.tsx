import { Select, type SelectProps } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { StudentRowAnswer } from '../../../../src/console/students/student.list.ts'
import { list } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { formatRupees } from '../money.tsx'
import { yearName } from '../when.tsx'

type Props = Pick<SelectProps, 'label' | 'description' | 'error' | 'required'> & {
  chosen: StudentRowAnswer | null
  onChoose: (student: StudentRowAnswer | null) => void
}

const SHORTEST = 2

/** Finds a student by name, admission number or a parent's phone; one row for each academic year. */
export function StudentPicker({ chosen, onChoose, ...props }: Props) {
  const path = useInstitutePath()
  const [typed, setTyped] = useState('')
  const isAsked = typed.trim().length >= SHORTEST && typed !== (chosen && describeStudent(chosen))
  const found = useQuery({
    queryKey: ['students', path, 'picker', typed.trim()],
    queryFn: ({ signal }) =>
      list<StudentRowAnswer>(`${path}/students`, { q: typed.trim(), status: 'active', limit: '20' }, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const rows = found.data?.rows ?? []
  const students = chosen === null || rows.some(isSame(chosen)) ? rows : [chosen, ...rows]
  return (
    <Select
      {...props}
      searchable
      clearable
      placeholder="Name, admission number or phone"
      value={chosen?.service_student_id ?? null}
      onChange={id => onChoose(students.find(one => one.service_student_id === id) ?? null)}
      onSearchChange={setTyped}
      data={students.map(one => ({ value: one.service_student_id, label: describeStudent(one) }))}
      // The server has searched already, by more than stands in a row.
      filter={({ options }) => options}
      nothingFoundMessage={isAsked && !found.isFetching ? 'No student found' : 'Type at least two letters'}
      comboboxProps={{ withinPortal: false }}
    />
  )
}

const isSame = (student: StudentRowAnswer) => (one: StudentRowAnswer) =>
  one.service_student_id === student.service_student_id

function describeStudent(one: StudentRowAnswer): string {
  const year = yearName(one.academic_year_start, one.academic_year_end)
  const owed = formatRupees(one.outstanding_amount)
  return `${one.fullname}, ${one.identifier}, ${one.grade_name}, ${year}: ${owed} left to pay`
}
