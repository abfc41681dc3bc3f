import { Alert, Button, Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'
import type { RolloverAnswer } from '../../../../../src/students/rollover/rollover.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { counted, formatRupees } from '../../../ui/money.tsx'
import { yearName } from '../../../ui/when.tsx'
import { isKept } from '../../approvals/kept.ts'
import { KeptFees } from './new-fees.tsx'
import { Report } from './report.tsx'
import { gradesWithoutFees, type toRequest } from './structure.ts'

/** The body that the API takes. */
export type RolloverRequest = {
  from_academic_year_start: number
  from_academic_year_end: number
  to_academic_year_start: string
  to_academic_year_end: string
  carry_dues_as: string | null
  carry_advance_as: string | null
  without_structure?: boolean
} & ReturnType<typeof toRequest>

export function Preview({
  wanted,
  seen,
  kept,
}: {
  wanted: RolloverRequest
  seen: RolloverAnswer
  /** The fee structure of the new year, if there is one. */
  kept: StructureAnswer | undefined
}) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const start = useCommand<RolloverRequest & { reason: string }, RolloverAnswer>({
    method: 'POST',
    path: `${path}/rollovers`,
    refreshes: ['rollovers', 'audit'],
    onDone(answer) {
      setIsAsking(false)
      if (isKept(answer)) return
      void navigate({
        to: '/i/$institute/students/rollover/$rollover',
        params: { institute, rollover: answer.id },
        search: {},
      })
    },
  })
  const year = yearName(seen.to_academic_year_start, seen.to_academic_year_end)
  const unpriced = unpricedText(
    gradesWithoutFees(
      wanted.fees,
      seen.grades.filter(grade => grade.fees === 0),
    ),
    year,
  )
  return (
    <section aria-label="Preview" className="file-now">
      <h2 className="section-title">Preview: nothing has changed yet</h2>
      <Report rollover={seen} />
      {kept !== undefined && <KeptFees kept={kept} />}
      {unpriced !== undefined && (
        <Alert color="yellow" role="alert" mt="md">
          {unpriced}
        </Alert>
      )}
      <Group mt="md">
        <Button
          disabled={seen.registered + seen.known === 0}
          onClick={() => {
            start.reset()
            setIsAsking(true)
          }}
        >
          {`Start the year ${year}`}
        </Button>
      </Group>
      <ConfirmWithReason
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Register the students for the new year?"
        description={[startText(seen), unpriced].filter(text => text !== undefined).join(' ')}
        verb="Start"
        isBusy={start.isPending}
        error={start.error}
        onConfirm={reason => start.mutate({ ...wanted, reason })}
      />
    </section>
  )
}

function unpricedText(
  grades: readonly { grade: string; students: number }[],
  year: string,
): string | undefined {
  if (grades.length === 0) return undefined
  const names = grades.map(({ grade, students }) => `class ${grade} (${counted(students, 'student')})`)
  const who = grades.length === 1 && grades[0]?.students === 1 ? 'this student' : 'these students'
  return `No fees are set for ${names.join(', ')}: ${who} will owe nothing for ${year}.`
}

function startText({ registered, fees }: RolloverAnswer): string {
  const what =
    registered === 0
      ? 'All students have a record of the new year already: nobody is registered, and only what was not carried yet is carried.'
      : `${counted(registered, 'student is registered with the', 'students are registered with their')} new class and fees of ${formatRupees(fees)} in all, and families see the new year on their page.`
  return `${what} Records of this year stay. It can be repeated: nobody is registered and nothing is carried twice. It cannot be undone as a whole.`
}
