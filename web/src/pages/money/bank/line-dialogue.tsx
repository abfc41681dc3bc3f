import { Button, Checkbox, Group, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ExpectedMoneyAnswer } from '../../../../../src/banking/statements/statement.schemas.ts'
import type { ReturnedChequeAnswer } from '../../../../../src/banking/cheques/cheque.schemas.ts'
import type { StudentRowAnswer } from '../../../../../src/console/students/student.list.ts'
import { get } from '../../../api/client.ts'
import { problemOf } from '../../../api/command.ts'
import { Problem } from '../../../ui/problem.tsx'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StudentPicker } from '../../../ui/form/student-picker.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { BounceForm } from './bounce-form.tsx'
import { SpreadInput, useSpread } from '../../counter/spread.tsx'
import { formatBooked, KIND_LABELS } from './texts.ts'
import { useDecision, type LineProps as Props } from './use-decision.ts'

/** What a line of a statement is: something that is expected, a student's payment, or nothing of ours. */
export function LineDialogue({ line, onClose }: Props) {
  const mayDecide = useMay('owner', 'finance')
  return (
    <SideDialogue onClose={onClose} title={`${formatBooked(line.amount)}, ${formatDay(line.day)}`}>
      <p className="long-text">
        {line.text} {line.reference}
      </p>
      {line.state !== 'open' && <Decision line={line} onClose={onClose} mayUndo={mayDecide} />}
      {line.state === 'open' && !mayDecide && <p>An owner or somebody from finance decides what it is.</p>}
      {line.state === 'open' && mayDecide && <Choices line={line} onClose={onClose} />}
    </SideDialogue>
  )
}

const WAYS = [
  { value: 'bounce', label: 'A returned cheque' },
  { value: 'match', label: 'Expected money' },
  { value: 'payment', label: 'A student’s payment' },
  { value: 'other', label: 'Something else' },
]

function Choices(props: Props) {
  const isCredit = props.line.amount > 0
  const path = `${useInstitutePath()}/bank/lines/${props.line.id}/returned-cheques`
  const returned = useQuery({
    queryKey: ['bank-candidates', path],
    queryFn: ({ signal }) => get<ReturnedChequeAnswer[]>(path, {}, signal),
    enabled: !isCredit,
  })
  const students = `${useInstitutePath()}/bank/lines/${props.line.id}/students`
  const named = useQuery({
    queryKey: ['bank-candidates', students],
    queryFn: ({ signal }) => get<StudentRowAnswer[]>(students, {}, signal),
    enabled: isCredit,
  })
  const [chosen, setWay] = useState<string | null>(null)
  if (isCredit ? named.isPending : returned.isPending) return <Loading />
  const cheques = returned.data ?? []
  // A debit that names a cheque is most likely its return, and a credit that names a child its payment.
  const likely = cheques.some(one => one.is_named)
    ? 'bounce'
    : (named.data ?? []).length > 0
      ? 'payment'
      : 'match'
  const way = chosen ?? likely
  const ways = WAYS.filter(({ value }) =>
    value === 'payment' ? isCredit : value !== 'bounce' || cheques.length > 0,
  )
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="What it is"
        data={ways}
        value={way}
        onChange={setWay}
        orientation={ways.length > 2 ? 'vertical' : 'horizontal'}
      />
      {way === 'bounce' && <BounceForm {...props} cheques={cheques} />}
      {way === 'match' && <MatchForm {...props} />}
      {way === 'payment' && <PaymentForm {...props} named={named.data ?? []} />}
      {way === 'other' && <OtherForm {...props} />}
    </Stack>
  )
}

function keyOf({ kind, id }: ExpectedMoneyAnswer): string {
  return `${kind} ${id}`
}

function MatchForm(props: Props) {
  const { line } = props
  const path = `${useInstitutePath()}/bank/lines/${line.id}/candidates`
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const candidates = useQuery({
    queryKey: ['bank-candidates', path],
    queryFn: ({ signal }) => get<ExpectedMoneyAnswer[]>(path, {}, signal),
  })
  const match = useDecision<{ targets: unknown[] }>(props, 'match', 'The line is matched.')
  if (candidates.isPending) return <Loading />
  if (candidates.isError) return <Failed error={candidates.error} retry={() => void candidates.refetch()} />
  const picked = candidates.data.filter(one => chosen.has(keyOf(one)))
  const total = picked.reduce((sum, one) => sum + Math.round(one.amount * 100), 0) / 100
  if (candidates.data.length === 0)
    return (
      <p className="faint">
        Nothing of these days matches. It may be a student’s payment, or something else.
      </p>
    )
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        match.mutate({ targets: picked.map(({ kind, id }) => ({ kind, id })) })
      }}
    >
      <Stack gap="xs">
        {candidates.data.map(one => (
          <Checkbox
            key={keyOf(one)}
            label={`${formatRupees(Math.abs(one.amount))}: ${one.label}`}
            description={`${KIND_LABELS[one.kind]}, ${formatDay(one.day)}`}
            checked={chosen.has(keyOf(one))}
            onChange={event => {
              const next = new Set(chosen)
              if (event.currentTarget.checked) next.add(keyOf(one))
              else next.delete(keyOf(one))
              setChosen(next)
            }}
          />
        ))}
      </Stack>
      <Problem error={match.error} of="targets" />
      <Button type="submit" mt="md" loading={match.isPending} disabled={picked.length === 0}>
        Match {formatRupees(Math.abs(total))}
      </Button>
    </form>
  )
}

function PaymentForm({ named, ...props }: Props & { named: readonly StudentRowAnswer[] }) {
  const { line } = props
  const [only, ...others] = named
  const [student, setStudent] = useState<StudentRowAnswer | null>(others.length > 0 ? null : (only ?? null))
  const [waive, setWaive] = useState('')
  const spread = useSpread(student, String(line.amount), line.day)
  const record = useDecision<Record<string, unknown>>(props, 'payment', 'The payment is recorded.')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        record.mutate({
          service_student_id: student?.service_student_id,
          fee_components: spread.lines,
          ...(waive === '' ? {} : { waive_late_fee_reason: waive }),
        })
      }}
    >
      <Stack gap="md">
        {others.length > 0 && (
          <Group gap="xs">
            {named.map(one => (
              <Button
                key={one.service_student_id}
                size="compact-sm"
                variant={student?.service_student_id === one.service_student_id ? 'filled' : 'default'}
                onClick={() => setStudent(one)}
              >
                {one.fullname}, {one.identifier}
              </Button>
            ))}
          </Group>
        )}
        <StudentPicker
          label="Student"
          description={named.length > 0 ? 'The line names the admission number.' : undefined}
          required
          chosen={student}
          onChoose={setStudent}
        />
        {student !== null && <SpreadInput spread={spread} error={record.error} />}
        {problemOf(record.error, 'waive_late_fee_reason') !== undefined && (
          <TextInput
            label="Why the late fee is waived"
            value={waive}
            onChange={event => setWaive(event.currentTarget.value)}
            error={problemOf(record.error, 'waive_late_fee_reason')}
          />
        )}
      </Stack>
      <Problem error={record.error} of="amount" />
      <Button type="submit" mt="md" loading={record.isPending} disabled={spread.total !== line.amount}>
        Record {formatRupees(line.amount)}
      </Button>
    </form>
  )
}

function OtherForm(props: Props) {
  const [reason, setReason] = useState('')
  const mark = useDecision<{ reason: string }>(props, 'other', 'The line is explained.')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        mark.mutate({ reason: reason.trim() })
      }}
    >
      <TextInput
        label="What it is"
        placeholder="Interest, charges of the bank, a grant"
        required
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
        error={problemOf(mark.error, 'reason')}
      />
      <Problem error={mark.error} />
      <Button type="submit" mt="md" loading={mark.isPending} disabled={reason.trim() === ''}>
        Not money for fees
      </Button>
    </form>
  )
}

function Decision({ line, onClose, mayUndo }: Props & { mayUndo: boolean }) {
  const [reason, setReason] = useState('')
  const undo = useDecision<{ reason: string }>({ line, onClose }, 'undo', 'The line is to be decided again.')
  const isRecorded = line.matches.some(match => match.is_recorded_here)
  return (
    <>
      <ul>
        {line.matches.map(match => (
          <li key={`${match.kind} ${match.id}`}>
            {match.label}: {formatRupees(Math.abs(match.amount))}
          </li>
        ))}
        {line.reason !== undefined && <li>{line.reason}</li>}
      </ul>
      <p className="faint">
        {line.decided_by === undefined
          ? 'Matched by reference and amount.'
          : `Decided by ${line.decided_by}.`}
      </p>
      {mayUndo && (
        <form
          onSubmit={event => {
            event.preventDefault()
            undo.mutate({ reason: reason.trim() })
          }}
        >
          {isRecorded && <p>Undoing this cancels the payment that was recorded, and its receipt.</p>}
          <Textarea
            label="Why it is undone"
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
            error={problemOf(undo.error, 'reason')}
          />
          <Problem error={undo.error} />
          <Group mt="md">
            <Button type="submit" color="red.8" loading={undo.isPending} disabled={reason.trim() === ''}>
              Undo
            </Button>
          </Group>
        </form>
      )}
    </>
  )
}
