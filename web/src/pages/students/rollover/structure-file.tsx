import { Alert, Button, Group } from '@mantine/core'
import { useRef } from 'react'
import type { StructureAnswer } from '../../../../../src/console/students/rollover/rollover.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Problem } from '../../../ui/problem.tsx'
import { downloadCsv } from '../../../ui/table/csv.ts'
import { notify } from '../../../ui/toasts.tsx'
import { FILE_HEADINGS, toFileRows, withFile, type Structure } from './structure.ts'

/** The form as a spreadsheet: taken away to be filled in, and brought back. */
export function StructureFile({
  structure,
  onChange,
}: {
  structure: Structure
  onChange: (structure: Structure) => void
}) {
  const path = useInstitutePath()
  const input = useRef<HTMLInputElement>(null)
  const upload = useCommand<File, StructureAnswer>({
    method: 'POST',
    path: `${path}/rollover-files`,
    onDone(read) {
      onChange(withFile(structure, read))
      notify('The form is filled in from the file. Check it below.')
    },
  })
  return (
    <section aria-label="Fill in from a file" className="drop-zone">
      <p>
        Many classes are easier in a spreadsheet: download this form, change it and bring it back (CSV or
        XLSX). One row for each class and fee; an empty next_grade means that the class leaves the school.
      </p>
      <Group>
        <Button variant="default" loading={upload.isPending} onClick={() => input.current?.click()}>
          Fill in from a file
        </Button>
        <Button
          variant="default"
          onClick={() => downloadCsv('grades-and-fees', FILE_HEADINGS, toFileRows(structure))}
        >
          Download as a file
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label="File of classes and fees"
          accept=".csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          onChange={event => {
            const [file] = event.currentTarget.files ?? []
            if (file !== undefined) upload.mutate(file)
            event.currentTarget.value = ''
          }}
        />
      </Group>
      <Problem error={upload.error} />
      <LeftOut read={upload.data} />
    </section>
  )
}

function LeftOut({ read }: { read: StructureAnswer | undefined }) {
  const problems = read?.problems ?? []
  const unknown = read?.unknown_columns ?? []
  if (problems.length + unknown.length === 0) return null
  return (
    <Alert color="gray" role="alert" mt="sm" title="Not everything in the file could be used">
      {problems.map(({ row, column, message }) => (
        <div key={`${row} ${column ?? ''} ${message}`}>
          Row {row}: <span className="mono">{column}</span> {message}
        </div>
      ))}
      {unknown.length > 0 && <div>Columns that are not used: {unknown.join(', ')}</div>}
    </Alert>
  )
}
