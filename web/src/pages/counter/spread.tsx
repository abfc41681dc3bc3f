import { Alert, Checkbox, SimpleGrid } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SpreadAnswer } from '../../../../src/console/counter/counter.schemas.ts'
import type { StudentRowAnswer } from '../../../../src/console/students/student.list.ts'
import type { StudentPageAnswer } from '../../../../src/console/students/students.output.ts'
import { get } from '../../api/client.ts'
import { problemOf } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { plainAmount, rupeesOf } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { formatRupees, sumRupees } from '../../ui/money.tsx'
import { readable } from '../../ui/words.ts'
import { formatDay, isDay } from '../../ui/when.tsx'

type Line = { component_type: string; amount: string }
type Fee = { code: string; owed: number; amount: string }

export type Spread = {
  fees: Fee[]
  lines: Line[]
  /** The sum in rupees. */
  total: number
  excess: number
  /** Fees without late fees; unknown until the student is read. */
  owed: number | undefined
  /** What banks or a lender are expected to bring. */
  onTheWay: OnTheWay
  /** Handed over beyond what is left to take while something is on the way; taken only when the clerk says so. */
  advance: { amount: number; isTaken: boolean; take: (isTaken: boolean) => void }
  setByHand: (code: string, amount: string) => void
}

type OnTheWay = { amount: number; left: number | undefined; until: string | undefined }

const LATE_FEE = 'LATE_FEE'
const ADVANCE = 'ADVANCE'

/** Spreads the amount by the institute's rule, until somebody types otherwise. */
export function useSpread(
  student: StudentRowAnswer | null,
  typed: string,
  /** The day of payment, up to which late fees grow. */
  day: string,
): Spread {
  const path = `${useInstitutePath()}/students/${student?.service_student_id}`
  const amount = plainAmount(typed)
  const isAmount = rupeesOf(amount) > 0
  const page = useQuery({
    queryKey: ['student', path],
    queryFn: ({ signal }) => get<StudentPageAnswer>(path, {}, signal),
    enabled: student !== null,
  })
  const byRule = useQuery({
    queryKey: ['student', path, 'spread', amount, day],
    queryFn: ({ signal }) => get<SpreadAnswer>(`${path}/spread`, { amount, paid_on: day }, signal),
    enabled: student !== null && isAmount && isDay(day),
    placeholderData: keepPreviousData,
  })
  const spreadKey = `${path} ${amount}`
  const [hand, setHand] = useState<ByHand>(NOTHING_TYPED)
  const { amounts: typedByHand, isAdvanceTaken } = hand.of === spreadKey ? hand : NOTHING_TYPED
  const onTheWay = {
    amount: page.data?.dues.on_the_way_amount ?? 0,
    left: byRule.data?.left_amount,
    until: byRule.data?.on_the_way_until,
  }
  const advance = isAmount && onTheWay.amount > 0 ? (byRule.data?.excess ?? 0) : 0
  const known = feesOf(page.data, byRule.data?.late_fee_amount)
  const ruled = isAmount ? amountsOf(byRule.data, known, advance === 0) : new Map<string, number>()
  const fees = known.map(({ code, owed }) => ({
    code,
    owed,
    amount: typedByHand[code] ?? (ruled.has(code) ? String(ruled.get(code)) : ''),
  }))
  const lines = [...fees, ...(isAdvanceTaken ? [{ code: ADVANCE, amount: String(advance) }] : [])]
    .map(({ code, amount: part }) => ({ component_type: code, amount: plainAmount(part) }))
    .filter(line => line.amount !== '' && Number(line.amount) !== 0)
  const total = sumRupees(lines.map(line => rupeesOf(line.amount)))
  const over = sumRupees(fees.map(fee => Math.max(rupeesOf(fee.amount) - fee.owed, 0)))
  return {
    fees,
    lines,
    total,
    excess: over,
    owed: page.data?.dues.outstanding_amount,
    onTheWay,
    advance: {
      amount: advance,
      isTaken: isAdvanceTaken,
      take: isTaken => setHand({ of: spreadKey, amounts: typedByHand, isAdvanceTaken: isTaken }),
    },
    setByHand: (code, part) =>
      setHand({ of: spreadKey, amounts: { ...typedByHand, [code]: part }, isAdvanceTaken }),
  }
}

/** Typed amounts are kept only for the same student and amount. */
type ByHand = { of: string; amounts: Readonly<Record<string, string>>; isAdvanceTaken: boolean }
const NOTHING_TYPED: ByHand = { of: '', amounts: {}, isAdvanceTaken: false }

/** An amount above what is due goes to the first fee as an advance, unless money for that fee is on the way. */
function amountsOf(
  spread: SpreadAnswer | undefined,
  fees: readonly { code: string }[],
  takesExcess: boolean,
): Map<string, number> {
  const amounts = new Map(spread?.fee_components.map(line => [line.component_type, line.amount]))
  const codes = [...amounts.keys(), ...fees.map(({ code }) => code)]
  const first = codes.find(code => code !== LATE_FEE)
  if (takesExcess && spread !== undefined && spread.excess > 0 && first !== undefined)
    amounts.set(first, sumRupees([amounts.get(first) ?? 0, spread.excess]))
  return amounts
}

/** Late fees are those of the day of the payment, once they are known. */
function feesOf(
  page: StudentPageAnswer | undefined,
  lateThen: number | undefined,
): { code: string; owed: number }[] {
  if (page === undefined) return []
  const { components, late_fee_amount: lateNow } = page.dues
  const late = lateThen ?? lateNow
  const fees = components.map(line => ({
    code: line.component_type,
    owed: sumRupees([line.outstanding_amount, line.component_type === LATE_FEE ? late : 0]),
  }))
  const hasLate = fees.some(({ code }) => code === LATE_FEE)
  return late > 0 && !hasLate ? [{ code: LATE_FEE, owed: late }, ...fees] : fees
}

export function SpreadInput({ spread, error }: { spread: Spread; error: Error | null }) {
  const { fees, total, excess, onTheWay, advance, setByHand } = spread
  const problemAt = (code: string): string | undefined => {
    const at = spread.lines.findIndex(line => line.component_type === code)
    return at < 0 ? undefined : problemOf(error, `fee_components.${at}.amount`)
  }
  return (
    <fieldset>
      <legend>What it pays, {formatRupees(total)} in all</legend>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
        {fees.map(({ code, owed, amount }) => (
          <AmountInput
            key={code}
            label={`${readable(code)}, rupees`}
            description={`${formatRupees(owed)} left to pay`}
            value={amount}
            onChange={typed => setByHand(code, typed)}
            error={problemAt(code)}
          />
        ))}
      </SimpleGrid>
      {onTheWay.amount > 0 && (
        <Alert color="yellow" mt="sm" role="status">
          {formatRupees(onTheWay.amount)} for this student is on the way from a bank or a lender
          {onTheWay.until !== undefined && `, expected by ${formatDay(onTheWay.until)}`}, and is not taken a
          second time.
          {onTheWay.left !== undefined && ` ${formatRupees(onTheWay.left)} is left to take.`}
          {advance.amount > 0 && (
            <Checkbox
              mt="xs"
              label={`Take the other ${formatRupees(advance.amount)} as an advance, as the family wishes`}
              checked={advance.isTaken}
              onChange={event => advance.take(event.currentTarget.checked)}
            />
          )}
        </Alert>
      )}
      {excess > 0 && (
        <Alert color="yellow" mt="sm" role="status">
          {formatRupees(excess)} is more than is due. It stands as an advance.
        </Alert>
      )}
    </fieldset>
  )
}
