import { Alert, Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { StudentRowAnswer } from '../../../../src/console/students/student.list.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay, usePerson, useSession } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { PrintReceipt } from '../../ui/print-receipt.tsx'
import { StudentPicker } from '../../ui/form/student-picker.tsx'
import { formatMoment } from '../../ui/when.tsx'
import { dayInIndia } from '../students/texts.ts'
import { AFTER_CHANGE } from '../students/use-student.ts'
import { useCounterDay } from './book-view.tsx'
import { Handed, type HandedFields } from './handed.tsx'
import { SpreadInput, useSpread } from './spread.tsx'

type Recorded = { amount: number; receipt_number?: string }
type TakenPayment = Recorded & { student: StudentRowAnswer }

/** Student, amount, spread, how: and the receipt at once. */
export function TakeView() {
  const mayTake = useMay('owner', 'finance', 'cashier')
  const [taken, setTaken] = useState<TakenPayment | null>(null)
  const [count, setCount] = useState(0)
  if (!mayTake) return <p>An owner, somebody from finance or a cashier takes money here.</p>
  return (
    <>
      {taken !== null && (
        <Alert color="green" role="status" mb="md" maw={720}>
          <p>
            <strong>{formatRupees(taken.amount)}</strong> received for {taken.student.fullname}, receipt{' '}
            {taken.receipt_number}.
          </p>
          {taken.receipt_number !== undefined && <PrintReceipt number={taken.receipt_number} />}
        </Alert>
      )}
      <ClosedNote />
      <TakeForm
        key={count}
        onTaken={one => {
          setTaken(one)
          setCount(count + 1)
        }}
      />
    </>
  )
}

export function ClosedNote() {
  const book = useCounterDay(dayInIndia(useSession()?.now)).data
  const me = usePerson()?.email
  const last = book?.closings.findLast(one => one.cashier === me)
  if (last === undefined) return null
  return (
    <Alert color="yellow" role="status" mb="md" maw={720}>
      You closed this day, {formatMoment(last.closed_at)}. Cash that you take now has to be counted with
      another closing in the cash book.
    </Alert>
  )
}

function TakeForm({ onTaken }: { onTaken: (taken: TakenPayment) => void }) {
  const today = dayInIndia(useSession()?.now)
  const [student, setStudent] = useState<StudentRowAnswer | null>(null)
  const [handed, setHanded] = useState<HandedFields>({ amount: '', mode: 'cash', paid_at: today })
  const spread = useSpread(student, handed.amount, handed.paid_at)
  const path = `${useInstitutePath()}/students/${student?.service_student_id}/payments`
  const record = useCommand<Record<string, unknown>, Recorded>({
    method: 'POST',
    path,
    refreshes: [...AFTER_CHANGE, 'counter', 'money-receipts'],
    onDone: done => student !== null && onTaken({ ...done, student }),
  })
  return (
    <form
      className="form"
      onSubmit={event => {
        event.preventDefault()
        record.mutate({
          ...toSent(handed),
          amount: String(spread.total),
          fee_components: spread.lines,
          shown_owed_amount: spread.owed,
        })
      }}
    >
      <Stack gap="md" maw={720}>
        <StudentPicker label="Student" required chosen={student} onChoose={setStudent} />
        {student !== null && (
          <>
            <Handed fields={handed} onChange={setHanded} today={today} error={record.error} />
            <SpreadInput spread={spread} error={record.error} />
            <Problem error={record.error} />
            <Group justify="flex-end">
              <Button type="submit" loading={record.isPending} disabled={spread.total === 0}>
                Take {formatRupees(spread.total)}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  )
}

/** Empty fields are not sent; a cheque or draft has its number apart. */
function toSent({ number, bank, date, reference, waive_late_fee_reason: why, ...fields }: HandedFields) {
  const isInstrument = fields.mode === 'cheque' || fields.mode === 'demand_draft'
  return {
    paid_at: fields.paid_at,
    mode: fields.mode,
    ...(isInstrument && number
      ? { instrument: { number, ...(bank && { bank }), ...(date && { date }) } }
      : {}),
    ...(!isInstrument && reference ? { transaction_id: reference } : {}),
    ...(why ? { waive_late_fee_reason: why } : {}),
  }
}
