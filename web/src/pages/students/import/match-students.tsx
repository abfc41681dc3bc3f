import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FileColumnsAnswer } from '../../../../../src/console/lists/list.schemas.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { MatchColumns } from '../../../ui/file/match-columns.tsx'
import { yearName } from '../../../ui/when.tsx'
import { useCurrentYear } from '../use-student.ts'
import { FIELD_LABELS, REQUIRED } from './columns.ts'

/** The columns of a file of students, and the year that they are registered for. */
export function MatchStudents(props: {
  file: File
  columns: FileColumnsAnswer['columns']
  onSent: (id: string) => void
  onCancel: () => void
}) {
  const path = useInstitutePath()
  // Not the newest that has students: after a rollover that is the next one, for months.
  const current = useCurrentYear()
  const [typedYear, setTypedYear] = useState<string>()
  const year = typedYear ?? String(current)
  const isYear = /^20\d\d$/.test(year)
  return (
    <MatchColumns
      {...props}
      path={`${path}/student-files`}
      query={{ academic_year_start: year, academic_year_end: String(Number(year) + 1) }}
      refreshes={['student-files']}
      fields={{ group: 'Student', labels: FIELD_LABELS }}
      fees="Fee, rupees for the year"
      dayFields={['date_of_birth']}
      missingIn={names => REQUIRED.filter(name => !names.includes(name)).map(name => FIELD_LABELS[name])}
      note="Nothing is registered yet."
      isReady={isYear}
    >
      <TextInput
        label="The academic year begins in"
        description={
          isYear ? `The students are registered for ${yearName(Number(year), Number(year) + 1)}.` : undefined
        }
        error={isYear ? undefined : 'Must be a year such as 2026'}
        maw={280}
        mb="md"
        value={year}
        onChange={event => setTypedYear(event.currentTarget.value)}
      />
    </MatchColumns>
  )
}
