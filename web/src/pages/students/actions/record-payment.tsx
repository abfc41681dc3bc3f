import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SpreadAnswer } from '../../../../../src/console/counter/counter.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useSession } from '../../../api/session.ts'
import { plainAmount, rupeesOf } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatRupees, sumRupees } from '../../../ui/money.tsx'
import { isDay } from '../../../ui/when.tsx'
import { PrintReceipt } from '../../../ui/print-receipt.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'
import { COUNTER_MODES, dayInIndia } from '../texts.ts'
import { readable } from '../../../ui/words.ts'

type Line = { component_type: string; amount: string }
type PaymentBody = Fields & { amount: string; fee_components: Line[]; shown_owed_amount: number }

const LATE_FEE = 'LATE_FEE'
type Fields = {
  paid_at: string
  mode: string
  transaction_id?: string
  settlement_utr?: string
  waive_late_fee_reason?: string
}
type Recorded = { amount: number; receipt_number?: string }

/** What was taken at the counter, split over the fees that it pays, with its receipt. */
export function RecordPaymentDialogue({ student, onClose }: ActionProps) {
  const today = dayInIndia(useSession()?.now)
  const [fields, setFields] = useState<Fields>({ paid_at: today, mode: 'cash' })
  const [amounts, setAmounts] = useState<Readonly<Record<string, string>>>({})
  const [recorded, setRecorded] = useState<Recorded | null>(null)
  const lines = Object.entries(amounts)
    .map(([component_type, amount]) => ({ component_type, amount: plainAmount(amount) }))
    .filter(({ amount }) => amount !== '')
  const lateFee = useLateFee(student, fields.paid_at)
  const total = sumRupees(lines.map(line => rupeesOf(line.amount)))
  const record = useCommand<PaymentBody, Recorded>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/payments`,
    refreshes: AFTER_CHANGE,
    onDone: setRecorded,
  })
  if (recorded !== null) return <RecordedDialogue recorded={recorded} onClose={onClose} />
  return (
    <Dialogue onClose={onClose} title={`Record a payment for ${student.fullname}`}>
      <form
        onSubmit={event => {
          event.preventDefault()
          record.mutate({
            ...fields,
            amount: String(total),
            fee_components: lines,
            shown_owed_amount: student.dues.outstanding_amount,
          })
        }}
      >
        <p>{formatRupees(total)} counts as paid at once. The ERP is notified, and the parents see it.</p>
        <Amounts
          student={student}
          amounts={amounts}
          onChange={setAmounts}
          problem={linesProblem(record.error, lines)}
        />
        <LateFee
          asked={lateFee}
          isListed={student.dues.components.some(line => line.component_type === LATE_FEE)}
          amount={amounts[LATE_FEE] ?? ''}
          reason={fields.waive_late_fee_reason ?? ''}
          onAmount={amount => setAmounts({ ...amounts, [LATE_FEE]: amount })}
          onReason={reason => setFields({ ...fields, waive_late_fee_reason: reason })}
          error={record.error}
        />
        <Particulars fields={fields} onChange={setFields} today={today} error={record.error} />
        <Problem error={record.error} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={record.isPending}>
            Record it
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}

function RecordedDialogue({ recorded, onClose }: { recorded: Recorded; onClose: () => void }) {
  const { amount, receipt_number: receipt } = recorded
  return (
    <Dialogue onClose={onClose} title={`${formatRupees(amount)} is recorded`}>
      {receipt !== undefined && (
        <>
          <p>Receipt {receipt}</p>
          <PrintReceipt number={receipt} />
        </>
      )}
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Dialogue>
  )
}

/** What was asked for being late on the day of the payment, as it grows from day to day. */
function useLateFee({ service_student_id: id, dues }: ActionProps['student'], day: string): number {
  const path = `${useStudentPath(id)}/spread`
  const { data } = useQuery({
    queryKey: ['student', path, day],
    queryFn: ({ signal }) => get<SpreadAnswer>(path, { amount: '0', paid_on: day }, signal),
    enabled: isDay(day) && (dues.late_fee_amount > 0 || dues.overdue_amount > 0),
    placeholderData: keepPreviousData,
  })
  return data?.late_fee_amount ?? dues.late_fee_amount
}

/** What is asked for being late; leaving it out takes a reason once what it is for is paid. */
function LateFee({
  asked,
  isListed,
  amount,
  reason,
  onAmount,
  onReason,
  error,
}: {
  asked: number
  isListed: boolean
  amount: string
  reason: string
  onAmount: (amount: string) => void
  onReason: (reason: string) => void
  error: Error | null
}) {
  if (asked === 0) return null
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
      {!isListed && (
        <AmountInput
          label="Late fee, rupees"
          description={`${formatRupees(asked)} asked for`}
          value={amount}
          onChange={onAmount}
        />
      )}
      <TextInput
        label="Why the late fee is waived"
        description="Only if it is not taken."
        value={reason}
        onChange={event => onReason(event.currentTarget.value)}
        error={problemOf(error, 'waive_late_fee_reason')}
      />
    </SimpleGrid>
  )
}

function Amounts({
  student,
  amounts,
  onChange,
  problem,
}: {
  student: ActionProps['student']
  amounts: Readonly<Record<string, string>>
  onChange: (amounts: Readonly<Record<string, string>>) => void
  problem: (component: string, isFirst: boolean) => string | undefined
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
      {student.dues.components.map(({ component_type: component, outstanding_amount: left }, index) => (
        <AmountInput
          key={component}
          label={`${readable(component)}, rupees`}
          description={sayLeft(left, amounts[component] ?? '')}
          value={amounts[component] ?? ''}
          onChange={amount => onChange({ ...amounts, [component]: amount })}
          error={problem(component, index === 0)}
          {...(index === 0 ? { 'data-autofocus': true } : {})}
        />
      ))}
    </SimpleGrid>
  )
}

/** Before it is recorded, as a digit too many is easily typed. */
function sayLeft(left: number, typed: string): string {
  const more = sumRupees([rupeesOf(typed), -left])
  const words = `${formatRupees(left)} left to pay`
  return more > 0 ? `${words}; ${formatRupees(more)} of this will stand as an advance` : words
}

function Particulars({
  fields,
  onChange,
  today,
  error,
}: {
  fields: Fields
  onChange: (fields: Fields) => void
  today: string
  error: Error | null
}) {
  const put = (key: keyof Fields) => (value: string) => onChange({ ...fields, [key]: value })
  const set = (key: keyof Fields) => (event: { currentTarget: { value: string } }) =>
    put(key)(event.currentTarget.value)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
      <DayInput
        label="Paid on"
        max={today}
        value={fields.paid_at}
        onChange={put('paid_at')}
        error={problemOf(error, 'paid_at')}
      />
      <NativeSelect
        label="How"
        data={COUNTER_MODES}
        value={fields.mode}
        onChange={set('mode')}
        error={problemOf(error, 'mode')}
      />
      <TextInput
        label="Number"
        description="Of the cheque or transfer. Generated if left empty."
        value={fields.transaction_id ?? ''}
        onChange={set('transaction_id')}
        error={problemOf(error, 'transaction_id')}
      />
      <TextInput
        label="UTR"
        description="For a bank transfer, if you have it."
        value={fields.settlement_utr ?? ''}
        onChange={set('settlement_utr')}
        error={problemOf(error, 'settlement_utr')}
      />
    </SimpleGrid>
  )
}

/** The server names lines by their place; what it says of the whole stands beside the first field. */
function linesProblem(error: Error | null, lines: readonly Line[]) {
  return (component: string, isFirst: boolean): string | undefined => {
    const at = lines.findIndex(line => line.component_type === component)
    const own = at < 0 ? undefined : problemOf(error, `fee_components.${at}.amount`)
    const ofAll = problemOf(error, 'amount') ?? problemOf(error, 'fee_components')
    return own ?? (isFirst ? ofAll : undefined)
  }
}
