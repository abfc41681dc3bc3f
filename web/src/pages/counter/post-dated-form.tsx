import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PostDatedAnswer } from '../../../../src/banking/post-dated/post-dated.list.ts'
import type { StudentRowAnswer } from '../../../../src/console/students/student.list.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { plainAmount, rupeesOf } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { DayInput } from '../../ui/form/day-input.tsx'
import { StudentPicker } from '../../ui/form/student-picker.tsx'
import { counted, formatRupees, sumRupees } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import { notify } from '../../ui/toasts.tsx'
import { addDays, addMonths } from '../flex/days.ts'

export type TypedCheque = { number: string; bank: string; date: string; amount: string }
export const NO_CHEQUE: TypedCheque = { number: '', bank: '', date: '', amount: '' }

export function chequeToSend({ number, bank, date, amount }: TypedCheque) {
  return { number, date, amount: plainAmount(amount), ...(bank && { bank }) }
}

type FieldsProps = {
  typed: TypedCheque
  onChange: (typed: TypedCheque) => void
  error: Error | null
  /** Where its fields stand in what is sent, such as `cheques.0.`. */
  at: string
  /** Tells its fields from those of other cheques. */
  of?: string
}

export function PostDatedFields({ typed, onChange, error, at, of = '' }: FieldsProps) {
  const put = (key: keyof TypedCheque) => (value: string) => onChange({ ...typed, [key]: value })
  const set = (key: keyof TypedCheque) => (event: { currentTarget: { value: string } }) =>
    put(key)(event.currentTarget.value)
  const problem = (field: string): string | undefined => problemOf(error, `${at}${field}`)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 4 }} spacing="sm">
      <TextInput
        label={`Number on it${of}`}
        required
        value={typed.number}
        onChange={set('number')}
        error={problem('number')}
      />
      <TextInput label={`Bank${of}`} value={typed.bank} onChange={set('bank')} error={problem('bank')} />
      <DayInput
        label={`Date on it${of}`}
        required
        value={typed.date}
        onChange={put('date')}
        error={problem('date') ?? problem('deposit_on')}
      />
      <AmountInput
        label={`Amount${of}, rupees`}
        required
        value={typed.amount}
        onChange={put('amount')}
        error={problem('amount')}
      />
    </SimpleGrid>
  )
}

/** The next cheque of a book: the number after it, the same day of the next month, the same bank and amount. */
function after(last: TypedCheque): TypedCheque {
  const digits = last.number.length
  const number = /^\d+$/.test(last.number) ? String(Number(last.number) + 1).padStart(digits, '0') : ''
  return { ...last, number, date: last.date === '' ? '' : monthAfter(last.date) }
}

/** The last day of a month that has no such day. */
function monthAfter(day: string): string {
  const month = addMonths(day.slice(0, 7), 1)
  const lastDay = addDays(`${addMonths(month, 1)}-01`, -1)
  const same = `${month}-${day.slice(8)}`
  return same < lastDay ? same : lastDay
}

const MOST = 24

/** A family hands over cheques for several months at once: of each after the first only what differs is typed. */
export function RegisterCheques({ path, refreshes }: { path: string; refreshes: readonly string[] }) {
  const [student, setStudent] = useState<StudentRowAnswer | null>(null)
  const [cheques, setCheques] = useState<readonly TypedCheque[]>([NO_CHEQUE])
  const register = useCommand<Record<string, unknown>, PostDatedAnswer[]>({
    method: 'POST',
    path,
    refreshes: [...refreshes],
    onDone(done) {
      notify(`${counted(done.length, 'cheque')} of ${student?.fullname} registered.`)
      setStudent(null)
      setCheques([NO_CHEQUE])
    },
  })
  const last = cheques.at(-1) ?? NO_CHEQUE
  const total = sumRupees(cheques.map(one => rupeesOf(one.amount)))
  return (
    <form
      className="form"
      onSubmit={event => {
        event.preventDefault()
        register.mutate({
          service_student_id: student?.service_student_id,
          cheques: cheques.map(chequeToSend),
        })
      }}
    >
      <Stack gap="md" maw={920} mb="lg">
        <StudentPicker label="Cheques for" required chosen={student} onChoose={setStudent} />
        {student !== null && (
          <>
            {cheques.map((typed, index) => (
              <PostDatedFields
                // They are only added and taken away at the end.
                key={index}
                typed={typed}
                onChange={changed => setCheques(cheques.map((one, at) => (at === index ? changed : one)))}
                error={register.error}
                at={`cheques.${index}.`}
                of={index === 0 ? '' : ` ${index + 1}`}
              />
            ))}
            <Problem error={register.error} />
            <Group justify="space-between">
              <Group gap="sm">
                {cheques.length < MOST && (
                  <Button variant="default" size="xs" onClick={() => setCheques([...cheques, after(last)])}>
                    Another cheque
                  </Button>
                )}
                {cheques.length > 1 && (
                  <Button variant="default" size="xs" onClick={() => setCheques(cheques.slice(0, -1))}>
                    One cheque less
                  </Button>
                )}
              </Group>
              <Button type="submit" loading={register.isPending}>
                Register {counted(cheques.length, 'cheque')}, {formatRupees(total)}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  )
}
