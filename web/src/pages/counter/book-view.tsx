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
import { DayField } from '../../ui/form/day-field.tsx'
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
  const book = useCounterDay(day)
  return (
    <>
      <Group mb="md" align="flex-end">
        <DayField label="Day" day={day} onChange={setDay} />
        <Anchor href={fileAddress(`${path}?day=${day}`)} target="_blank" rel="noreferrer">
          Print the day’s sheet
        </Anchor>
      </Group>
      {book.isPending && <Loading what="Loading the cash book" />}
      {book.isError && <Failed error={book.error} retry={() => void book.refetch()} />}
      {book.isSuccess && <Day book={book.data} isToday={day === today} />}
    </>
  )
}

function Day({ book, isToday }: { book: CounterDayAnswer; isToday: boolean }) {
  const me = usePerson()?.email ?? ''
  const mayClose = useMay('owner', 'finance', 'cashier')
  const standing = book.payments.filter(one => !one.is_cancelled)
  const own = book.cash.find(one => one.cashier === me)
  const left = own?.open_amount ?? 0
  const inDrawer = own?.in_drawer_amount ?? 0
  const form = mayClose && (isToday || inDrawer > 0) && (
    <DrawerForm key={book.day} day={isToday ? undefined : book.day} inDrawer={inDrawer} />
  )
  const mine = [...standing, ...book.drawer].some(one => one.cashier === me)
  const hasClosed = book.closings.some(one => one.cashier === me)
  if (book.payments.length === 0 && book.drawer.length === 0)
    return (
      <>
        {form}
        <p className="faint">Nothing was taken at the counter on this day.</p>
      </>
    )
  return (
    <>
      {form}
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
  const closed = new Set(book.closings.map(one => one.cashier))
  return book.cash
    .filter(one => closed.has(one.cashier) && one.open_amount !== 0)
    .map(({ cashier, open_amount: left }) => (
      <Alert key={cashier} color="yellow" mb="sm" role="status">
        {left > 0
          ? `${formatRupees(left)} in cash was taken by ${cashier} after the close. Count it with another closing.`
          : `${formatRupees(-left)} in cash of ${cashier} was paid out or cancelled after the close.`}
      </Alert>
    ))
}

function sumOf(payments: readonly Payment[]): number {
  return sumRupees(payments.map(one => one.amount))
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
