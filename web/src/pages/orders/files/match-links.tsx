import type { FileColumnsAnswer } from '../../../../../src/console/lists/list.schemas.ts'
import type { LinkField } from '../../../../../src/imports/kinds/links/links.rules.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { MatchColumns } from '../../../ui/file/match-columns.tsx'

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

/** The columns of a file of links. */
export function MatchLinks(props: {
  file: File
  columns: FileColumnsAnswer['columns']
  onSent: (id: string) => void
  onCancel: () => void
}) {
  const path = useInstitutePath()
  return (
    <MatchColumns
      {...props}
      path={`${path}/link-batches`}
      refreshes={['link-files']}
      fields={{ group: 'Link', labels: LINK_LABELS }}
      fees="Fee, rupees"
      dayFields={['expires_at']}
      missingIn={missingIn}
      note="No link is made yet."
    />
  )
}
