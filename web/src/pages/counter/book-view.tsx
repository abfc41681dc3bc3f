import { Alert, Anchor, Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CounterDayAnswer } from '../../../../src/console/counter/counter.schemas.ts'
import { fileAddress, get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, usePerson, useMay, useSession } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { formatRupees, Money, sumRupees } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { TableFrame } from '../../ui/table/frame.tsx'
import { formatMoment } from '../../ui/when.tsx'
import { DayField } from '../money/day-field.tsx'
import { DrawerForm } from './drawer-form.tsx'
import { cashIn, Denominations, denominationsOf, type Counts } from './denominations.tsx'
import { modeLabel } from '../money/texts.ts'
import { dayInIndia } from '../students/texts.ts'

type Payment = CounterDayAnswer['payments'][number]

export function useCounterDay(day: string) {
  const path = `${useInstitutePath()}/counter/day`
  return useQuery({
    queryKey: ['counter', path, day],
    queryFn: ({ signal }) => get<CounterDayAnswer>(path, { day }, signal),
  })
}

/** What was taken on a day, by cashier and way, and the cash that was counted. */
export function BookView() {
  const today = dayInIndia(useSession()?.now)
  const [day, setDay] = useState(today)
  const path = `${useInstitutePath()}/counter/day/pdf`
  const mayTake = useMay('owner', 'finance', 'cashier')
  const book = useCounterDay(day)
  return (
    <>
      <Group mb="md" align="flex-end">
        <DayField label="Day" day={day} onChange={setDay} />
        <Anchor href={fileAddress(`${path}?day=${day}`)} target="_blank" rel="noreferrer">
          Print the day’s sheet
        </Anchor>
      </Group>
      {day === today && mayTake && <DrawerForm />}
      {book.isPending && <Loading what="Loading the cash book" />}
      {book.isError && <Failed error={book.error} retry={() => void book.refetch()} />}
      {book.isSuccess && <Day book={book.data} />}
    </>
  )
}

function Day({ book }: { book: CounterDayAnswer }) {
  const me = usePerson()?.email ?? ''
  const mayClose = useMay('owner', 'finance', 'cashier')
  const standing = book.payments.filter(one => !one.is_cancelled)
  const left = cashLeft(book, me)
  const mine = [...standing, ...book.drawer].some(one => one.cashier === me)
  const hasClosed = book.closings.some(one => one.cashier === me)
  if (book.payments.length === 0 && book.drawer.length === 0)
    return <p className="faint">Nothing was taken at the counter on this day.</p>
  return (
    <>
      <Sums payments={standing} />
      <ul>
        {book.drawer.map(one => (
          <li key={one.id}>
            {one.cashier}, {one.kind === 'float' ? 'change put in' : 'handed over'}:{' '}
            <strong>{formatRupees(one.amount)}</strong>, {one.note}, {formatMoment(one.recorded_at)}
          </li>
        ))}
      </ul>
      <Payments payments={book.payments} />
      {book.closings.map(one => (
        <Alert
          key={`${one.cashier} ${one.closed_at}`}
          color={one.counted_amount === one.expected_amount ? 'green' : 'yellow'}
          mb="sm"
        >
          {one.cashier} closed with {formatRupees(one.counted_amount)} in cash;{' '}
          {formatRupees(one.expected_amount)} was in the drawer by the cash book. {one.note}
        </Alert>
      ))}
      <TakenAfterClose book={book} />
      {mayClose && mine && (!hasClosed || left > 0) && (
        <CloseForm key={book.closings.length} day={book.day} cashier={me} expected={left} />
      )}
    </>
  )
}

/** Such cash stands in no closing until it is counted too. */
function TakenAfterClose({ book }: { book: CounterDayAnswer }) {
  const cashiers = [...new Set(book.closings.map(one => one.cashier))]
  return cashiers
    .map(cashier => ({ cashier, left: cashLeft(book, cashier) }))
    .filter(({ left }) => left !== 0)
    .map(({ cashier, left }) => (
      <Alert key={cashier} color="yellow" mb="sm" role="status">
        {left > 0
          ? `${formatRupees(left)} in cash was taken by ${cashier} after the close. Count it with another closing.`
          : `${formatRupees(-left)} in cash of ${cashier} was paid out or cancelled after the close.`}
      </Alert>
    ))
}

/** Cash of a cashier that no closing has counted; below 0 what was paid out or cancelled since. */
function cashLeft({ payments, drawer, closings }: CounterDayAnswer, cashier: string): number {
  const entries = drawer
    .filter(one => one.cashier === cashier)
    .map(one => (one.kind === 'float' ? one.amount : -one.amount))
  const taken = cashOf(payments.filter(one => one.cashier === cashier && !one.is_cancelled))
  const counted = closings.filter(one => one.cashier === cashier).map(one => -one.expected_amount)
  return sumRupees([taken, ...entries, ...counted])
}

function sumOf(payments: readonly Payment[]): number {
  return sumRupees(payments.map(one => one.amount))
}

function cashOf(payments: readonly Payment[]): number {
  return sumOf(payments.filter(one => one.mode.toLowerCase() === 'cash'))
}

function Sums({ payments }: { payments: readonly Payment[] }) {
  const groups = Map.groupBy(payments, one => {
    const what = one.kind === 'refund' ? `refunds by ${modeLabel(one.mode)}` : modeLabel(one.mode)
    return `${one.cashier}, ${what}`
  })
  return (
    <ul>
      {[...groups].map(([label, own]) => (
        <li key={label}>
          {label}: {own.length}, <strong>{formatRupees(sumOf(own))}</strong>
        </li>
      ))}
    </ul>
  )
}

function Payments({ payments }: { payments: readonly Payment[] }) {
  return (
    <TableFrame name="Cash book">
      <table className="data-table">
        <caption className="visually-hidden">Cash book</caption>
        <thead>
          <tr>
            <th scope="col">Receipt or voucher</th>
            <th scope="col" className="right">
              Amount
            </th>
            {['Student', 'How', 'Cheque or draft', 'Cashier', 'When'].map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {payments.map(one => (
            <tr key={one.id}>
              <td className="nowrap">
                <Paper row={one} />
              </td>
              <td className="right">
                <Money rupees={one.amount} />
              </td>
              <td>
                {one.student_name}, {one.identifier}
              </td>
              <td>{modeLabel(one.mode)}</td>
              <td>
                {one.instrument && [one.instrument.number, one.instrument.bank].filter(Boolean).join(', ')}
              </td>
              <td>{one.cashier}</td>
              <td className="nowrap">{formatMoment(one.recorded_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}

/** The number that its paper has, and what became of it: numbers run without gaps, so none is left out. */
function Paper({ row }: { row: Payment }) {
  if (row.kind === 'refund') return <>Voucher {row.receipt_number}</>
  return (
    <>
      {row.is_cancelled ? <s>{row.receipt_number}</s> : row.receipt_number}
      {row.is_cancelled && (
        <div>
          <StatusBadge tone="bad">Cancelled</StatusBadge>
        </div>
      )}
      {row.refunded_amount !== undefined && (
        <div>
          <StatusBadge tone="waiting">{`${formatRupees(row.refunded_amount)} refunded`}</StatusBadge>
        </div>
      )}
    </>
  )
}

function CloseForm({ day, cashier, expected }: { day: string; cashier: string; expected: number }) {
  const [counts, setCounts] = useState<Counts>({})
  const [note, setNote] = useState('')
  const close = useCommand<Record<string, unknown>>({
    method: 'POST',
    path: `${useInstitutePath()}/counter/closings`,
    refreshes: ['counter', 'audit'],
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const denominations = denominationsOf(counts)
        close.mutate({ day, cashier, denominations, ...(note === '' ? {} : { note }) })
      }}
    >
      <h2 className="section-title">Close my day</h2>
      <p>
        {formatRupees(expected)} in cash was taken, less what was paid out, with the change and without what
        was handed over; {formatRupees(cashIn(counts))} is counted.
      </p>
      <Denominations counts={counts} onChange={setCounts} />
      <TextInput
        mt="sm"
        maw={560}
        label="Note"
        description="Needed if the two differ."
        value={note}
        onChange={event => setNote(event.currentTarget.value)}
        error={problemOf(close.error, 'note')}
      />
      <Problem error={close.error} />
      <Button type="submit" mt="sm" loading={close.isPending}>
        Close the day
      </Button>
    </form>
  )
}
