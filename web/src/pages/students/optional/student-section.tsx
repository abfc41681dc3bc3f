import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  OptionalFeeAnswer,
  OwnEnrolmentAnswer,
} from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { useStudentPath, type Student } from '../use-student.ts'
import { Outcome, useEnrol } from './add-children.tsx'
import { RHYTHM_TEXTS } from './draft.ts'
import { GiveDialogue } from './give-dialogue.tsx'

/** What a child has of optional fees, and giving, changing or ending it. */
export function OptionalFeesSection({ student }: { student: Student }) {
  const { service_student_id: id, academic_year_start: year } = student
  const path = `${useStudentPath(id)}/optional-fees`
  const root = `${useInstitutePath()}/optional-fees`
  const mayChange = useMay('owner', 'finance')
  const [isAdding, setIsAdding] = useState(false)
  const [ending, setEnding] = useState<OwnEnrolmentAnswer>()
  const own = useQuery({
    queryKey: ['student', path],
    queryFn: ({ signal }) => get<OwnEnrolmentAnswer[]>(path, {}, signal),
  })
  const fees = useQuery({
    queryKey: ['optional-fees', root, String(year)],
    queryFn: ({ signal }) => get<OptionalFeeAnswer[]>(root, { academic_year_start: String(year) }, signal),
  })
  if (!own.isSuccess || !fees.isSuccess || (own.data.length === 0 && fees.data.length === 0)) return null
  return (
    <section aria-labelledby="optional-fees">
      <h2 className="section-title" id="optional-fees">
        Optional fees
      </h2>
      {own.data.length > 0 && (
        <ShortTable
          name="Optional fees"
          isCompact
          rows={own.data}
          rowId={one => one.enrolment_id}
          columns={[
            { title: 'Fee', cell: one => one.name },
            {
              title: 'Option',
              cell: one => (
                <>
                  {[one.option, one.stop].filter(Boolean).join(', ')}
                  {one.reason !== undefined && <div className="faint">{one.reason}</div>}
                </>
              ),
            },
            { title: 'From', cell: one => formatDay(one.first_day) },
            { title: 'Until', cell: one => (one.rhythm === 'once' ? '' : formatDay(one.last_day)) },
            {
              title: 'Amount',
              isAmount: true,
              cell: one => `${formatRupees(one.amount)} ${RHYTHM_TEXTS[one.rhythm]}`,
            },
            ...(mayChange
              ? [
                  {
                    title: 'Actions',
                    isAction: true,
                    cell: (one: OwnEnrolmentAnswer) => (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`${endingWord(one)} ${one.name}`}
                        onClick={() => setEnding(one)}
                      >
                        {endingWord(one)}
                      </Button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {mayChange && fees.data.length > 0 && (
        <Group mt="sm">
          <Button variant="default" onClick={() => setIsAdding(true)}>
            Give or change an optional fee
          </Button>
        </Group>
      )}
      {isAdding && <GiveDialogue ids={[id]} fees={fees.data} onClose={() => setIsAdding(false)} />}
      {ending !== undefined && <EndDialogue id={id} one={ending} onClose={() => setEnding(undefined)} />}
    </section>
  )
}

function EndDialogue({ id, one, onClose }: { id: string; one: OwnEnrolmentAnswer; onClose: () => void }) {
  const root = `${useInstitutePath()}/optional-fees`
  const isOnce = one.rhythm === 'once'
  const [lastDay, setLastDay] = useState('')
  const [isTakenBack, setIsTakenBack] = useState(isOnce)
  const [reason, setReason] = useState('')
  const { command, seen, forget } = useEnrol(`${root}/${one.optional_fee_id}/endings`, onClose)
  const sent = {
    student_ids: [id],
    enrolment_id: one.enrolment_id,
    ...(isTakenBack ? { take_back: true } : { last_day: lastDay }),
    ...(reason.trim() && { reason: reason.trim() }),
  }
  return (
    <Dialogue title={`End ${one.name}`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          command.mutate({ ...sent, preview: true })
        }}
      >
        <p>What was paid beyond what is then owed stands as an advance.</p>
        {!isOnce && (
          <>
            <DayInput
              label="The last day"
              value={lastDay}
              disabled={isTakenBack}
              error={problemOf(command.error, 'last_day')}
              onChange={day => {
                forget()
                setLastDay(day)
              }}
            />
            <Checkbox
              mt="sm"
              label="Take it back, as if it had never been"
              checked={isTakenBack}
              onChange={event => {
                forget()
                setIsTakenBack(event.currentTarget.checked)
              }}
            />
          </>
        )}
        <TextInput
          mt="sm"
          label="Reason"
          value={reason}
          error={problemOf(command.error, 'reason')}
          onChange={event => setReason(event.currentTarget.value)}
        />
        <Outcome
          seen={seen?.answer}
          error={command.error}
          isBusy={command.isPending}
          isReady={isTakenBack || lastDay !== ''}
          verb="End it"
          onApply={() => command.mutate({ ...sent, preview: false })}
        />
      </form>
    </Dialogue>
  )
}

function endingWord({ rhythm }: OwnEnrolmentAnswer): string {
  return rhythm === 'once' ? 'Take back' : 'End'
}
