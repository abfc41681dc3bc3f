import { SegmentedControl, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ApprovalAnswer } from '../../../../../src/console/approvals/approval.list.ts'
import type { StudentRowAnswer } from '../../../../../src/console/students/student.list.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount, rupeesOf } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { StudentPicker } from '../../../ui/form/student-picker.tsx'
import { formatRupees, sumRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { readable } from '../../../ui/words.ts'
import { isKept } from '../../approvals/kept.ts'
import { SpreadInput, useSpread } from '../../counter/spread.tsx'
import { dayInIndia } from '../texts.ts'
import { AFTER_CHANGE, useStudent, useStudentPath, type DirectPayment } from '../use-student.ts'

type Line = { component_type: string; amount: string }
type Moved = { receipt_number?: string }
type MoveForm = {
  to_service_student_id?: string
  fee_components: readonly Line[]
  waive_late_fee_reason?: string
  reason: string
}
type Props = { id: string; payment: DirectPayment; onClose: () => void }

/** A payment that was typed for the wrong child, or for the wrong fee. */
export function MovePaymentDialogue({ id, payment, onClose }: Props) {
  const [isOther, setIsOther] = useState(true)
  const [student, setStudent] = useState<StudentRowAnswer | null>(null)
  const wanted = student === null ? '' : String(payment.amount)
  const spread = useSpread(student, wanted, dayInIndia(payment.paid_at))
  const fees = useFees(id, payment)
  const [why, setWhy] = useState('')
  const amount = formatRupees(payment.amount)
  const move = useCommand<MoveForm, Moved | ApprovalAnswer>({
    method: 'POST',
    path: `${useStudentPath(id)}/payments/${encodeURIComponent(payment.transaction_id)}/move`,
    refreshes: [...AFTER_CHANGE, 'counter', 'cheques', 'money-receipts'],
    onDone(answer) {
      if (!isKept(answer)) notify(`${amount} is moved; its receipt is ${answer.receipt_number} now.`)
      onClose()
    },
  })
  const lines = isOther ? spread.lines : fees.lines
  const total = sumRupees(lines.map(line => rupeesOf(line.amount)))
  const waiver = problemOf(move.error, 'waive_late_fee_reason')
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Move the payment ${payment.transaction_id}?`}
      description={`${amount} counts elsewhere from then on, and is due again here. The old receipt says that it was moved, a new one is issued, and the families are told.`}
      verb="Move it"
      isBusy={move.isPending}
      error={move.error}
      problem={total === payment.amount ? undefined : `The fees come to ${formatRupees(total)} of ${amount}.`}
      onConfirm={reason =>
        move.mutate({
          ...(isOther && student !== null && { to_service_student_id: student.service_student_id }),
          fee_components: lines,
          ...(why !== '' && { waive_late_fee_reason: why }),
          reason,
        })
      }
    >
      <SegmentedControl
        mb="sm"
        fullWidth
        value={isOther ? 'student' : 'fees'}
        onChange={to => setIsOther(to === 'student')}
        data={[
          { value: 'student', label: 'To another student' },
          { value: 'fees', label: 'To other fees' },
        ]}
      />
      {isOther ? (
        <>
          <StudentPicker
            label="For whom it is"
            required
            chosen={student}
            onChoose={setStudent}
            error={problemOf(move.error, 'to_service_student_id')}
          />
          {student !== null && <SpreadInput spread={spread} error={move.error} />}
        </>
      ) : (
        <OtherFees {...fees} error={move.error} />
      )}
      {waiver !== undefined && (
        <TextInput
          label="Why the late fee is waived"
          description="Or take it as a part of the payment."
          mb="sm"
          value={why}
          onChange={event => setWhy(event.currentTarget.value)}
          error={waiver}
        />
      )}
    </ConfirmWithReason>
  )
}

type Fees = {
  fees: readonly { code: string; owed: number; amount: string }[]
  lines: Line[]
  set: (code: string, amount: string) => void
}

/** The fees of the student with what the payment pays of each, to be typed over. */
function useFees(id: string, payment: DirectPayment): Fees {
  const page = useStudent(id).data
  const paid = new Map(payment.fee_components.map(line => [line.component_type, line.amount]))
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const owed = new Map(
    page?.dues.components.map(line => [line.component_type, line.outstanding_amount]) ?? [],
  )
  const fees = [...new Set([...owed.keys(), ...paid.keys()])].map(code => ({
    code,
    owed: owed.get(code) ?? 0,
    amount: typed[code] ?? (paid.has(code) ? String(paid.get(code)) : ''),
  }))
  const lines = fees
    .map(({ code, amount }) => ({ component_type: code, amount: plainAmount(amount) }))
    .filter(line => line.amount !== '' && Number(line.amount) !== 0)
  return { fees, lines, set: (code, amount) => setTyped({ ...typed, [code]: amount }) }
}

function OtherFees({ fees, set, error }: Fees & { error: Error | null }) {
  return (
    <fieldset>
      <legend>What it pays</legend>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {fees.map(({ code, owed, amount }) => (
          <AmountInput
            key={code}
            label={`${readable(code)}, rupees`}
            description={`${formatRupees(owed)} left to pay`}
            value={amount}
            onChange={amount => set(code, amount)}
          />
        ))}
      </SimpleGrid>
      {problemOf(error, 'fee_components') !== undefined && (
        <p role="alert">{problemOf(error, 'fee_components')}</p>
      )}
    </fieldset>
  )
}
