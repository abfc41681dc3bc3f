import { Alert, Anchor, Button, Group, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CounterQrAnswer, FamilyAnswer } from '../../../../src/console/counter/family.schemas.ts'
import type { TakingAnswer } from '../../../../src/dues/takings/taking.schemas.ts'
import { fileAddress, get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { rupeesOf } from '../../ui/form/amount.ts'
import { formatRupees, sumRupees } from '../../ui/money.tsx'
import { PrintReceipt } from '../../ui/print-receipt.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { formatDay } from '../../ui/when.tsx'
import { AFTER_CHANGE } from '../students/use-student.ts'
import { CounterQr } from './counter-qr.tsx'
import {
  amountsOf,
  canBeTaken,
  chargedOf,
  FamilyFees,
  namesOf,
  type Amounts,
  type Offer,
} from './family-fees.tsx'
import { FamilySearch } from './family-search.tsx'
import { ClosedNote } from './take-view.tsx'
import { WAY, Ways, waysToSend, type Way } from './ways.tsx'

/** A family at the counter: found, what it pays chosen with one button, taken in one way or several, one paper for all. */
export function FamilyView() {
  const mayTake = useMay('owner', 'finance', 'cashier')
  const [studentId, setStudentId] = useState<string | null>(null)
  const [taken, setTaken] = useState<CounterResult<TakingAnswer> | null>(null)
  const [paid, setPaid] = useState<CounterResult<CounterQrAnswer> | null>(null)
  if (!mayTake) return <p>An owner, somebody from finance or a cashier takes money here.</p>
  return (
    <>
      {taken !== null && <Taken {...taken} />}
      {paid !== null && <PaidByQr {...paid} />}
      <ClosedNote />
      {studentId === null ? (
        <FamilySearch
          onFound={id => {
            setTaken(null)
            setPaid(null)
            setStudentId(id)
          }}
        />
      ) : (
        <Family
          studentId={studentId}
          onOther={() => setStudentId(null)}
          onTaken={done => {
            setTaken(done)
            setStudentId(null)
          }}
          onPaid={done => {
            setPaid(done)
            setStudentId(null)
          }}
        />
      )}
    </>
  )
}

/** What came, and for whom, as the clerk says it aloud. */
type CounterResult<Answer> = { answer: Answer; names: string }

function PaidByQr({ answer: code, names }: CounterResult<CounterQrAnswer>) {
  return (
    <Alert color="green" role="status" mb="md" maw={720}>
      <p>
        <strong>{formatRupees(code.amount)}</strong> paid by phone for {names}, receipt{' '}
        {code.receipt_numbers.join(', ')}.
      </p>
      {code.receipt_numbers.map(number => (
        <PrintReceipt key={number} number={number} />
      ))}
    </Alert>
  )
}

const PAPERS = { together: 'Print the receipt of the family', each: 'Print a receipt for each child' }

function Taken({ answer: taking, names }: CounterResult<TakingAnswer>) {
  const file = `${useInstitutePath()}/counter/takings/${taking.id}/pdf`
  const other = taking.family_receipt === 'each' ? 'together' : 'each'
  const numbers = taking.payments.map(payment => payment.receipt_number)
  return (
    <Alert color="green" role="status" mb="md" maw={720}>
      <p>
        <strong>{formatRupees(taking.amount)}</strong> received for {names}, receipt {numbers.join(', ')}.
      </p>
      <Anchor href={fileAddress(file)} target="_blank" rel="noreferrer">
        {PAPERS[taking.family_receipt]}
      </Anchor>
      {numbers.length > 1 && (
        <p>
          <Anchor href={fileAddress(`${file}?how=${other}`)} target="_blank" rel="noreferrer">
            {PAPERS[other]}
          </Anchor>
        </p>
      )}
    </Alert>
  )
}

type FamilyProps = {
  studentId: string
  onOther: () => void
  onTaken: (done: CounterResult<TakingAnswer>) => void
  onPaid: (done: CounterResult<CounterQrAnswer>) => void
}

function Family({ studentId, ...props }: FamilyProps) {
  const path = `${useInstitutePath()}/counter/families/${studentId}`
  const family = useQuery({
    queryKey: ['student', path],
    queryFn: ({ signal }) => get<FamilyAnswer>(path, {}, signal),
  })
  if (family.isPending) return <Loading what="Reading what the family owes" />
  if (family.isError) return <Failed error={family.error} retry={() => void family.refetch()} />
  return <FamilyForm family={family.data} {...props} />
}

type FormProps = Omit<FamilyProps, 'studentId'> & { family: FamilyAnswer }

function FamilyForm({ family, onOther, onTaken, onPaid }: FormProps) {
  const [amounts, setAmounts] = useState<Amounts>({})
  const [ways, setWays] = useState<readonly Way[]>([WAY])
  const [reason, setReason] = useState('')
  const isCashier = useMay('cashier')
  const children = chargedOf(family, amounts)
  const names = namesOf(family, children)
  const sum = sumRupees(children.flatMap(child => child.fee_components.map(line => rupeesOf(line.amount))))
  const isTotal = sum > 0 && canBeTaken(family, amounts)
  const take = useCommand<Record<string, unknown>, TakingAnswer>({
    method: 'POST',
    path: `${useInstitutePath()}/counter/takings`,
    refreshes: [...AFTER_CHANGE, 'counter', 'cheques', 'money-receipts'],
    onDone: answer => onTaken({ answer, names }),
  })
  const [code, setCode] = useState<CounterQrAnswer | null>(null)
  const show = useCommand<Record<string, unknown>, CounterQrAnswer>({
    method: 'POST',
    path: `${useInstitutePath()}/counter/qr`,
    refreshes: ['orders'],
    onDone: setCode,
  })
  if (code !== null)
    return (
      <CounterQr code={code} onPaid={answer => onPaid({ answer, names })} onClosed={() => setCode(null)} />
    )
  const waiver = problemOf(take.error, 'waive_late_fee_reason')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        take.mutate({
          children,
          ways: waysToSend(ways, sum),
          ...(reason === '' ? {} : { waive_late_fee_reason: reason }),
        })
      }}
    >
      <Stack gap="md" maw={920}>
        <Group justify="space-between">
          <h2 className="section-title">
            {family.payer_name}, {family.payer_phone}
          </h2>
          <Button variant="default" size="xs" onClick={onOther}>
            Another family
          </Button>
        </Group>
        <Owed family={family} />
        <Offers family={family} onChoose={offer => setAmounts(amountsOf(family, offer))} />
        <FamilyFees
          family={family}
          amounts={amounts}
          onChange={setAmounts}
          error={take.error ?? show.error}
        />
        <Ways ways={ways} total={sum} onChange={setWays} error={take.error} />
        {waiver !== undefined && isCashier && (
          <Alert color="red">A late fee is due. Take it too, or ask finance to waive it first.</Alert>
        )}
        {waiver !== undefined && !isCashier && (
          <TextInput
            label="Why the late fee is waived"
            description="Or take it as a line above."
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
            error={waiver}
          />
        )}
        <Problem error={take.error ?? show.error} />
        <FormButtons
          sum={sum}
          isReady={isTotal}
          isTaking={take.isPending}
          isShowing={show.isPending}
          onShow={ways.length > 1 ? undefined : () => show.mutate({ children })}
        />
      </Stack>
    </form>
  )
}

function FormButtons({
  sum,
  isReady,
  isTaking,
  isShowing,
  onShow,
}: {
  sum: number
  isReady: boolean
  isTaking: boolean
  isShowing: boolean
  onShow: (() => void) | undefined
}) {
  return (
    <Group justify="flex-end">
      <Button
        variant="default"
        size="md"
        loading={isShowing}
        disabled={!isReady || onShow === undefined}
        onClick={onShow}
      >
        Show a code to pay {formatRupees(sum)}
      </Button>
      <Button type="submit" size="md" loading={isTaking} disabled={!isReady}>
        Take {formatRupees(sum)}
      </Button>
    </Group>
  )
}

/** The same sums as on the pages of the family's children; the buttons take what of it is not on the way. */
function Owed({
  family: { total_amount: total, overdue_amount: overdue, on_the_way_amount: onTheWay },
}: {
  family: FamilyAnswer
}) {
  if (total === 0) return null
  return (
    <p>
      The family owes <strong>{formatRupees(total)}</strong>, late fees included
      {overdue > 0 && (
        <>
          ; <strong>{formatRupees(overdue)}</strong> of it is overdue
        </>
      )}
      {onTheWay > 0 && `; ${formatRupees(onTheWay)} is on the way`}.
    </p>
  )
}

function Offers({ family, onChoose }: { family: FamilyAnswer; onChoose: (offer: Offer) => void }) {
  const sum = (offer: Offer): number =>
    sumRupees(family.children.flatMap(child => child.fees.map(fee => fee[offer])))
  const offers: { offer: Offer; label: string }[] = [
    { offer: 'overdue_amount', label: 'All overdue' },
    {
      offer: 'term_amount',
      label: family.term_due_on === undefined ? 'This term' : `Due by ${formatDay(family.term_due_on)}`,
    },
    { offer: 'everything_amount', label: 'Everything' },
  ]
  return (
    <Group gap="sm">
      {offers.map(({ offer, label }) => (
        <Button key={offer} variant="default" disabled={sum(offer) === 0} onClick={() => onChoose(offer)}>
          {label}: {formatRupees(sum(offer))}
        </Button>
      ))}
    </Group>
  )
}
