import { Alert, Button, Group } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { FetchedAnswer } from '../../../../../src/console/students/students.output.ts'
import { useCommand } from '../../../api/command.ts'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { RawJson } from '../../../ui/detail.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StudentTable } from '../student-table.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'
import { readable, sentence } from '../../../ui/words.ts'

/** Fetches on opening and shows the changed fields. */
export function FetchDialogue({ student, onClose }: ActionProps) {
  const fetch = useCommand<Record<string, never>, FetchedAnswer>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/fetch`,
    refreshes: AFTER_CHANGE,
  })
  const isAsked = useRef(false)
  useEffect(() => {
    if (isAsked.current) return
    isAsked.current = true
    fetch.mutate({})
  }, [fetch])
  return (
    <Dialogue onClose={onClose} title={`${student.fullname} in the ERP`}>
      {fetch.error !== null && <Failed error={fetch.error} retry={() => fetch.mutate({})} />}
      {fetch.data === undefined && fetch.error === null && <Loading what="Asking the ERP" />}
      {fetch.data !== undefined && <Answer fetched={fetch.data} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Dialogue>
  )
}

function Answer({ fetched }: { fetched: FetchedAnswer }) {
  const { outcome, message, problems, changes } = fetched
  if (outcome !== 'found') {
    return (
      <>
        <Alert
          color={outcome === 'refused' ? 'yellow' : 'red'}
          title={outcome === 'refused' ? 'The ERP refused' : 'The ERP did not answer'}
          role="alert"
        >
          <p>{message}</p>
          <p>Nothing was changed.</p>
        </Alert>
        {problems.length > 0 && (
          <ul>
            {problems.map(({ key, message: what }) => (
              <li key={key}>
                <span className="mono">{key}</span> {what}
              </li>
            ))}
          </ul>
        )}
        <RawJson value={fetched} />
      </>
    )
  }
  if (changes.length === 0) return <p>The ERP’s data matches ours. Nothing was changed.</p>
  return <Changes changes={changes} />
}

type Change = FetchedAnswer['changes'][number]

function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <>
      <p>
        {changes.length === 1 ? 'One thing is' : `${changes.length} things are`} different now, as the ERP
        says:
      </p>
      <StudentTable name="What is different">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(change => (
            <tr key={change.field}>
              <td>{fieldName(change.field)}</td>
              <td className="change-before">{shown(change.field, change.before)}</td>
              <td>
                <strong>{shown(change.field, change.after)}</strong>
              </td>
            </tr>
          ))}
        </tbody>
      </StudentTable>
    </>
  )
}

const FEE = /^fee_components\.(.+)\.(fee_amount|discounts)$/

function fieldName(field: string): string {
  const [, component, part] = FEE.exec(field) ?? []
  if (component === undefined) return sentence(field)
  return part === 'fee_amount' ? readable(component) : `${readable(component)}, concessions`
}

function shown(field: string, value: Change['before']): string {
  if (value === undefined) return 'nothing'
  return FEE.test(field) && typeof value === 'number' ? formatRupees(value) : String(value)
}
