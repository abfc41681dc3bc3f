import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  ErpSettingsAnswer,
  TestErpAnswer,
} from '../../../../../src/console/developers/developers.routes.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Summary } from '../../../ui/detail.tsx'
import { counted, formatCount, formatRupees } from '../../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../../ui/status-badge.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { StaticTable } from '../static-table.tsx'

type TestLookup = { identifier: string; grade?: string | undefined; collector_code?: string | undefined }

/** Makes the same call as a fetch and explains the response. */
export function ErpTest({ branches }: { branches: ErpSettingsAnswer['branches'] }) {
  const path = useInstitutePath()
  const [identifier, setIdentifier] = useState('')
  const [grade, setGrade] = useState('')
  const [branch, setBranch] = useState('')
  const test = useCommand<TestLookup, TestErpAnswer>({
    method: 'POST',
    path: `${path}/erp/test`,
    refreshes: ['flex'],
  })
  return (
    <section className="card" aria-label="Test">
      <h2 className="section-title">Test it with a student</h2>
      <form
        onSubmit={event => {
          event.preventDefault()
          test.mutate({
            identifier: identifier.trim(),
            grade: grade.trim() || undefined,
            collector_code: branch || undefined,
          })
        }}
      >
        <Group align="end" gap="xs">
          <TextInput
            label="Identifier"
            required
            maxLength={128}
            value={identifier}
            onChange={event => setIdentifier(event.currentTarget.value)}
            error={problemOf(test.error, 'identifier')}
          />
          <TextInput
            label="Grade (optional)"
            maxLength={64}
            value={grade}
            onChange={event => setGrade(event.currentTarget.value)}
            error={problemOf(test.error, 'grade')}
          />
          {branches.length > 1 && (
            <NativeSelect
              label="Branch"
              value={branch}
              onChange={event => setBranch(event.currentTarget.value)}
              data={[
                { value: '', label: 'The student’s own' },
                ...branches.map(({ collector_code: value, name }) => ({ value, label: name })),
              ]}
            />
          )}
          <Button type="submit" loading={test.isPending}>
            Ask the ERP
          </Button>
        </Group>
      </form>
      <Problem error={test.error} />
      <div aria-live="polite" className="spaced">
        {test.data !== undefined && <Result result={test.data} />}
      </div>
      <p className="faint spaced">A test changes nothing.</p>
    </section>
  )
}

const OUTCOMES: Record<'found' | 'refused' | 'unavailable', { label: string; tone: Tone }> = {
  found: { label: 'Understood', tone: 'good' },
  refused: { label: 'Refused by the ERP', tone: 'waiting' },
  unavailable: { label: 'No usable answer', tone: 'bad' },
}

function Result({ result }: { result: TestErpAnswer }) {
  if (result.outcome === 'not_configured') return <p>No ERP is set up for this branch.</p>
  const { label, tone } = OUTCOMES[result.outcome]
  return (
    <>
      <p>
        <StatusBadge tone={tone}>{label}</StatusBadge>{' '}
        {result.http_status !== undefined && `HTTP ${result.http_status} `}
        {result.duration_ms !== undefined && `after ${formatCount(result.duration_ms)} ms`}
      </p>
      <p className="mono">{result.url}</p>
      {result.message !== undefined && (
        <p>
          {result.message} {result.code !== undefined && <span className="mono faint">{result.code}</span>}
        </p>
      )}
      {result.acts_as !== undefined && result.acts_as !== result.code && (
        <p className="faint">Treated as {result.acts_as}.</p>
      )}
      <Explanation result={result} />
    </>
  )
}

/** Each field: what is wrong with it, or what it was understood as. */
function Explanation({ result }: { result: TestErpAnswer }) {
  if (result.problems.length > 0) {
    return (
      <StaticTable name="What is wrong, field by field" headings={['Field of the answer', 'What to mend']}>
        {result.problems.map(({ key, message }) => (
          <tr key={`${key} ${message}`}>
            <td className="mono">{key === '' ? 'the whole' : key}</td>
            <td>{message}</td>
          </tr>
        ))}
      </StaticTable>
    )
  }
  const { student } = result
  if (student === undefined) return null
  return (
    <>
      <h3 className="section-title">The student was understood as</h3>
      <Summary
        fields={[
          { label: 'Name', value: student.fullname },
          { label: 'Identifier', value: student.identifier },
          { label: 'Grade', value: student.grade },
          { label: 'Years', value: `${student.academic_year_start} to ${student.academic_year_end}` },
          { label: 'Branch', value: student.collector_code },
          { label: 'New admission', value: student.new_admission ? 'Yes' : 'No' },
          { label: 'Born', value: student.date_of_birth && formatDay(student.date_of_birth) },
          { label: 'Contact', value: student.primary_contact_name },
          { label: 'Phone', value: student.primary_contact_number },
          { label: 'E-mail', value: student.primary_contact_email },
          ...(result.fee_components ?? []).map(fee => ({
            label: fee.component_type,
            value: formatRupees(fee.fee_amount),
          })),
          {
            label: 'Payment schedule',
            value:
              result.payment_schedule &&
              `${counted(result.payment_schedule.length, 'instalment')} of its own`,
          },
        ]}
      />
    </>
  )
}
