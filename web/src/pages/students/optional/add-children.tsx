import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type {
  EnrollingAnswer,
  OptionalFeeAnswer,
} from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { useChoices } from '../../../api/choices.ts'
import { problemOf, problemsOf, useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { ProblemAlert } from '../../../ui/problem.tsx'
import { counted, formatRupees } from '../../../ui/money.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { AFTER_CHANGE } from '../use-student.ts'

const AFTER_ENROLLING = [...AFTER_CHANGE, 'optional-fees', 'enrolments', 'approvals'] as const

type Enrol = Record<string, unknown> & { preview: boolean }

/** Previews first; what is seen is then done with the same request. */
export function useEnrol(path: string, onDone: () => void) {
  const [seen, setSeen] = useState<{ sent: Enrol; answer: EnrollingAnswer }>()
  const command = useCommand<Enrol, EnrollingAnswer>({
    method: 'POST',
    path,
    refreshes: AFTER_ENROLLING,
    onDone(answer, sent) {
      if (isKept(answer)) {
        setSeen(undefined)
        onDone()
        return
      }
      if (sent.preview) {
        setSeen({ sent, answer })
        return
      }
      setSeen(undefined)
      const done = answer.students.filter(one => one.outcome === 'changed').length
      notify(`Done for ${counted(done, 'child', 'children')}.`)
      onDone()
    },
  })
  return { command, seen, forget: () => setSeen(undefined) }
}

export function optionLabel(one: OptionalFeeAnswer['options'][number]): string {
  const name = one.stop === undefined ? one.name : `${one.name}, ${one.stop}`
  return `${name}: ${formatRupees(one.amount)}`
}

/** Gives the fee to a class or to a list of admission numbers. */
export function AddChildren({ fee }: { fee: OptionalFeeAnswer }) {
  const path = `${useInstitutePath()}/optional-fees/${fee.optional_fee_id}/children`
  const [who, setWho] = useState<WhoDraft>({ by: 'class', grade: '', section: '', numbers: '' })
  const [option, setOption] = useState(fee.options[0]?.option_id ?? '')
  const [terms, setTerms] = useState({ first_day: '', last_day: '', amount: '', reason: '', change: false })
  const { command, seen, forget } = useEnrol(path, () => setWho({ ...who, numbers: '' }))
  const identifiers = who.numbers
    .split(/[\s,;]+/)
    .map(one => one.trim())
    .filter(one => one !== '')
  const { first_day, last_day, amount, reason, change } = terms
  const sent = {
    ...(who.by === 'class'
      ? { grade: who.grade, ...(who.section && { section: who.section }) }
      : { identifiers: [...new Set(identifiers)] }),
    option_id: option,
    ...(first_day && { first_day }),
    ...(last_day && { last_day }),
    ...(amount && { amount: plainAmount(amount) }),
    ...(reason.trim() && { reason: reason.trim() }),
    ...(change && { change }),
  }
  const set = (part: Partial<typeof terms>): void => {
    forget()
    setTerms({ ...terms, ...part })
  }
  const isReady = who.by === 'class' ? who.grade !== '' : identifiers.length > 0
  const flaw = (key: string): string | undefined => problemOf(command.error, key)
  return (
    <form
      className="form rollover-form"
      aria-label="Add children"
      onSubmit={event => {
        event.preventDefault()
        command.mutate({ ...sent, preview: true })
      }}
    >
      <h2 className="section-title">Add children</h2>
      <SimpleGrid cols={{ base: 1, sm: 3 }} onChange={forget}>
        <WhoFields who={who} set={setWho} flaw={flaw} />
        <NativeSelect
          label="Option"
          value={option}
          error={flaw('option_id')}
          onChange={event => setOption(event.currentTarget.value)}
          data={fee.options.map(one => ({ value: one.option_id, label: optionLabel(one) }))}
        />
      </SimpleGrid>
      <TermFields fee={fee} terms={terms} set={set} flaw={flaw} />
      <Outcome
        seen={seen?.answer}
        error={command.error}
        isBusy={command.isPending}
        isReady={isReady}
        verb="Add"
        onApply={() => seen !== undefined && command.mutate({ ...seen.sent, ...sent, preview: false })}
      />
    </form>
  )
}

type WhoDraft = { by: 'class' | 'list'; grade: string; section: string; numbers: string }

function WhoFields({
  who,
  set,
  flaw,
}: {
  who: WhoDraft
  set: (who: WhoDraft) => void
  flaw: (key: string) => string | undefined
}) {
  const { grades, sections } = useChoices()
  return (
    <>
      <NativeSelect
        label="Who"
        value={who.by}
        onChange={event => set({ ...who, by: event.currentTarget.value as WhoDraft['by'] })}
        data={[
          { value: 'class', label: 'A class or section' },
          { value: 'list', label: 'A list of admission numbers' },
        ]}
      />
      {who.by === 'class' ? (
        <>
          <NativeSelect
            label="Class"
            value={who.grade}
            error={flaw('grade')}
            onChange={event => set({ ...who, grade: event.currentTarget.value })}
            data={[
              { value: '', label: 'Choose' },
              ...grades.map(one => ({ value: one.code, label: one.name })),
            ]}
          />
          <NativeSelect
            label="Section"
            value={who.section}
            onChange={event => set({ ...who, section: event.currentTarget.value })}
            data={[
              { value: '', label: 'All' },
              ...sections.map(one => ({ value: one.code, label: one.name })),
            ]}
          />
        </>
      ) : (
        <Textarea
          label="Admission numbers"
          description="Paste a column of a spreadsheet; at most 500."
          autosize
          minRows={2}
          maxRows={8}
          value={who.numbers}
          error={flaw('identifiers')}
          onChange={event => set({ ...who, numbers: event.currentTarget.value })}
        />
      )}
    </>
  )
}

type Terms = { first_day: string; last_day: string; amount: string; reason: string; change: boolean }

export function TermFields({
  fee,
  terms,
  set,
  flaw,
}: {
  fee: Pick<OptionalFeeAnswer, 'kind' | 'rhythm'>
  terms: Terms
  set: (part: Partial<Terms>) => void
  flaw: (key: string) => string | undefined
}) {
  const isOnce = fee.rhythm === 'once'
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} mt="sm">
        {!isOnce && (
          <>
            <DayInput
              label="From"
              description="Empty: today, or its first day."
              value={terms.first_day}
              error={flaw('first_day')}
              onChange={day => set({ first_day: day })}
            />
            <DayInput
              label="Until"
              description="Empty: to its end."
              value={terms.last_day}
              error={flaw('last_day')}
              onChange={day => set({ last_day: day })}
            />
          </>
        )}
        {fee.kind === 'fine' && (
          <AmountInput
            label="Rupees"
            description="Empty: as the option says."
            value={terms.amount}
            error={flaw('amount')}
            onChange={amount => set({ amount })}
          />
        )}
        <TextInput
          label={fee.kind === 'fine' ? 'Reason' : 'Reason, if there is one'}
          value={terms.reason}
          error={flaw('reason')}
          onChange={event => set({ reason: event.currentTarget.value })}
        />
      </SimpleGrid>
      {fee.kind !== 'fine' && (
        <Checkbox
          mt="sm"
          label="Change those who have another option"
          checked={terms.change}
          onChange={event => set({ change: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

/** The preview with its sums, who cannot have it and why, and the button that does it. */
export function Outcome({
  seen,
  error,
  isBusy,
  isReady,
  verb,
  onApply,
}: {
  seen: EnrollingAnswer | undefined
  error: Error | null
  isBusy: boolean
  isReady: boolean
  verb: string
  onApply: () => void
}) {
  const other = problemsOf(error).find(({ key }) => key === 'student_ids' || key === 'last_day')
  const whole = wholeProblem(error) ?? other?.message
  const changed = seen?.students.filter(one => one.outcome === 'changed') ?? []
  return (
    <div role="status">
      {whole !== undefined && <ProblemAlert>{whole}</ProblemAlert>}
      <Group mt="md" mb="sm">
        <Button type="submit" variant="default" loading={isBusy} disabled={!isReady}>
          Preview
        </Button>
        {changed.length > 0 && (
          <Button loading={isBusy} onClick={onApply}>
            {`${verb}: ${counted(changed.length, 'child', 'children')}`}
          </Button>
        )}
      </Group>
      {seen !== undefined && <Seen seen={seen} />}
    </div>
  )
}

const whatHappens = (one: EnrollingAnswer['students'][number]): ReactNode =>
  one.outcome === 'changed' ? 'Changes' : `${one.outcome === 'skipped' ? 'Cannot: ' : ''}${one.reason ?? ''}`

function Seen({ seen }: { seen: EnrollingAnswer }) {
  const sum = (key: 'before_amount' | 'after_amount'): number =>
    seen.students.reduce((all, one) => all + Math.round(one[key] * 100), 0) / 100
  return (
    <>
      <p>
        {`To pay for it in the year: ${formatRupees(sum('before_amount'))} now, ${formatRupees(sum('after_amount'))} afterwards.`}
        {seen.unknown.length > 0 && ` Nobody has: ${seen.unknown.join(', ')}.`}
      </p>
      <ShortTable
        name="Preview"
        rows={seen.students}
        rowId={one => one.service_student_id}
        columns={[
          { title: 'Student', cell: one => one.fullname },
          { title: 'Admission no.', cell: one => one.identifier },
          { title: 'Class', cell: one => [one.grade, one.section].filter(Boolean).join(' ') },
          { title: 'Now', isAmount: true, cell: one => formatRupees(one.before_amount) },
          { title: 'Afterwards', isAmount: true, cell: one => formatRupees(one.after_amount) },
          { title: 'What happens', cell: whatHappens },
        ]}
      />
    </>
  )
}
