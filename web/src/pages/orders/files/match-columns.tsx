import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { ColumnsAnswer } from '../../../../../src/console/lists/columns.output.ts'
import type { BatchAnswer } from '../../../../../src/console/orders/link-files/link-file.output.ts'
import type { LinkField } from '../../../../../src/imports/kinds/links/links.rules.ts'
import { useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { ColumnTable, ColumnWarnings, hasTwice } from '../../students/import/column-table.tsx'
import { useChoices } from '../use-choices.ts'

/** What a column of a file of links may be, as an office calls it. */
export const LINK_LABELS: Record<LinkField, string> = {
  name: 'Payer’s name',
  phone: 'Payer’s mobile',
  email: 'Payer’s e-mail',
  identifier: 'Admission no.',
  student_name: 'Student’s name',
  grade: 'Class',
  settle_dues: 'Lowers the student’s dues (yes/no)',
  amount: 'Amount, rupees',
  component_type: 'Code of the fee',
  expires_at: 'Can be paid until',
  reference: 'Your reference of the row',
  collector_code: 'Branch code',
  custom_identifier: 'Roll or second number',
  stream: 'Stream',
  academic_year_start: 'Academic year, start',
  academic_year_end: 'Academic year, end',
  service_student_id: 'Id of the student',
  component_type_2: 'Code of the 2nd fee',
  amount_2: 'Amount of the 2nd fee',
  component_type_3: 'Code of the 3rd fee',
  amount_3: 'Amount of the 3rd fee',
  component_type_4: 'Code of the 4th fee',
  amount_4: 'Amount of the 4th fee',
  component_type_5: 'Code of the 5th fee',
  amount_5: 'Amount of the 5th fee',
}

function missingIn(names: readonly string[]): string[] {
  const hasFee = names.some(name => name.startsWith('fee:'))
  const needed: LinkField[] = ['name', 'phone', 'email']
  const missing = needed.filter(name => !names.includes(name)).map(name => LINK_LABELS[name])
  const hasAmount = names.includes('component_type') && names.includes('amount')
  return hasFee || hasAmount ? missing : [...missing, 'a fee with its amounts, or code and amount of the fee']
}

/** Says what each column of a file is, as guessed, and has the file checked. */
export function MatchLinkColumns({
  file,
  columns,
  onSent,
  onCancel,
}: {
  file: File
  columns: ColumnsAnswer['columns']
  onSent: (batch: BatchAnswer) => void
  onCancel: () => void
}) {
  const path = useInstitutePath()
  const { components } = useChoices()
  const [names, setNames] = useState(columns.map(column => column.guess ?? ''))
  const missing = missingIn(names)
  const isTwice = hasTwice(names)
  const check = useCommand<File, BatchAnswer>({
    method: 'POST',
    path: () =>
      `${path}/link-batches?${new URLSearchParams({
        columns: JSON.stringify(names.map(name => name || null)),
      }).toString()}`,
    refreshes: ['link-files'],
    onDone: onSent,
  })
  return (
    <form
      aria-label="Match the columns"
      onSubmit={event => {
        event.preventDefault()
        check.mutate(file)
      }}
    >
      <p>{`What is in the columns of ${file.name}? Correct what was guessed wrongly. No link is made yet.`}</p>
      <ColumnTable
        columns={columns}
        names={names}
        onChange={setNames}
        fields={{ group: 'Link', labels: LINK_LABELS }}
        fees={{ group: 'Fee, rupees', known: components }}
      />
      <ColumnWarnings missing={missing} isTwice={isTwice} problem={wholeProblem(check.error)} />
      <Group mt="md" mb="md">
        <Button type="submit" loading={check.isPending} disabled={missing.length > 0 || isTwice}>
          Check the file
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}
