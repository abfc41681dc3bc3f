import { Alert, SimpleGrid } from '@mantine/core'
import type { FamilyAnswer } from '../../../../src/console/counter/family.schemas.ts'
import { problemOf } from '../../api/command.ts'
import { isAmountSoFar, plainAmount, rupeesOf } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { formatDay, yearName } from '../../ui/when.tsx'
import { readable } from '../../ui/words.ts'

export type Offer = 'overdue_amount' | 'term_amount' | 'everything_amount'
type Child = FamilyAnswer['children'][number]
/** What is typed, by child and fee. */
export type Amounts = Readonly<Record<string, string>>

const ADVANCE = 'ADVANCE'
const keyOf = (child: Child, code: string): string => `${child.service_student_id} ${code}`

export function amountsOf(family: FamilyAnswer, offer: Offer): Amounts {
  return Object.fromEntries(
    family.children.flatMap(child =>
      child.fees
        .filter(fee => fee[offer] > 0)
        .map(fee => [keyOf(child, fee.component_type), String(fee[offer])]),
    ),
  )
}

/** The amounts as they are sent; children for whom nothing is typed are left out. */
export function chargedOf(family: FamilyAnswer, amounts: Amounts) {
  return family.children
    .map(child => ({
      service_student_id: child.service_student_id,
      shown_owed_amount: child.outstanding_amount,
      fee_components: [...child.fees.map(fee => fee.component_type), ADVANCE]
        .map(code => ({ component_type: code, amount: plainAmount(amounts[keyOf(child, code)] ?? '') }))
        .filter(line => line.amount !== '' && Number(line.amount) !== 0),
    }))
    .filter(child => child.fee_components.length > 0)
}

/** Kabir Rao and Meera Rao; a child whose fees of two years are paid is one child. */
export function namesOf(family: FamilyAnswer, charged: readonly { service_student_id: string }[]): string {
  const ids = new Set(charged.map(one => one.service_student_id))
  const paid = family.children.filter(child => ids.has(child.service_student_id))
  return LIST.format(new Set(paid.map(child => child.fullname)))
}

const LIST = new Intl.ListFormat('en-IN')

type Fee = Child['fees'][number]

/** More than is left of a fee is most often mistyped; who means it types it as an advance. */
function tooMuch({ left_amount: left }: Fee, typed: string | undefined): string | undefined {
  return rupeesOf(typed ?? '') > left
    ? `Only ${formatRupees(left)} is left. Type the rest as an advance.`
    : undefined
}

/** Whether what is typed can be taken: amounts, and none larger than what is left of its fee. */
export function canBeTaken(family: FamilyAnswer, amounts: Amounts): boolean {
  const isTooMuch = family.children.some(child =>
    child.fees.some(fee => tooMuch(fee, amounts[keyOf(child, fee.component_type)]) !== undefined),
  )
  return !isTooMuch && Object.values(amounts).every(isAmountSoFar)
}

type Props = {
  family: FamilyAnswer
  amounts: Amounts
  onChange: (amounts: Amounts) => void
  error: Error | null
}

/** What the server says of an amount that was sent. */
function problemFinder({ family, amounts, error }: Omit<Props, 'onChange'>) {
  const sent = chargedOf(family, amounts)
  return (child: Child, code: string): string | undefined => {
    const childNo = sent.findIndex(one => one.service_student_id === child.service_student_id)
    const lineNo = sent[childNo]?.fee_components.findIndex(line => line.component_type === code) ?? -1
    const line = `children.${childNo}.fee_components.${lineNo}`
    return lineNo < 0 ? undefined : (problemOf(error, `${line}.amount`) ?? problemOf(error, line))
  }
}

export function FamilyFees({ family, amounts, onChange, error }: Props) {
  const problemAt = problemFinder({ family, amounts, error })
  return family.children.map(child => (
    <ChildFees
      key={child.service_student_id}
      child={child}
      amounts={amounts}
      problemAt={code => problemAt(child, code)}
      onType={(code, typed) => onChange({ ...amounts, [keyOf(child, code)]: typed })}
    />
  ))
}

function ChildFees({
  child,
  amounts,
  problemAt,
  onType,
}: {
  child: Child
  amounts: Amounts
  problemAt: (code: string) => string | undefined
  onType: (code: string, typed: string) => void
}) {
  const year = yearName(child.academic_year_start, child.academic_year_end)
  const grade = [child.grade_name, child.section].filter(Boolean).join(' ')
  const { overdue_amount: overdue, on_the_way_amount: onTheWay, on_the_way_until: until } = child
  const isAdvanceAsked =
    (amounts[keyOf(child, ADVANCE)] ?? '') !== '' ||
    child.fees.some(fee => tooMuch(fee, amounts[keyOf(child, fee.component_type)]) !== undefined)
  return (
    <fieldset>
      <legend>
        {child.fullname}, {child.identifier}, {grade}, {year}
        {overdue > 0 && `: ${formatRupees(overdue)} overdue`}
      </legend>
      {child.fees.length === 0 && <p className="faint">Nothing is left to pay.</p>}
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
        {child.fees.map(fee => (
          <AmountInput
            key={fee.component_type}
            label={`${readable(fee.component_type)}, rupees`}
            aria-label={`${readable(fee.component_type)} of ${child.fullname}, rupees`}
            description={[
              `${formatRupees(fee.left_amount)} left`,
              fee.due_on !== undefined && `due ${formatDay(fee.due_on)}`,
            ]
              .filter(Boolean)
              .join(', ')}
            value={amounts[keyOf(child, fee.component_type)] ?? ''}
            onChange={amount => onType(fee.component_type, amount)}
            error={tooMuch(fee, amounts[keyOf(child, fee.component_type)]) ?? problemAt(fee.component_type)}
          />
        ))}
        {(onTheWay > 0 || isAdvanceAsked) && (
          <AmountInput
            label="As an advance, rupees"
            aria-label={`As an advance of ${child.fullname}, rupees`}
            description="Pays no fee; only if the family wishes so."
            value={amounts[keyOf(child, ADVANCE)] ?? ''}
            onChange={amount => onType(ADVANCE, amount)}
            error={problemAt(ADVANCE)}
          />
        )}
      </SimpleGrid>
      {onTheWay > 0 && (
        <Alert color="yellow" mt="sm" role="status">
          {formatRupees(onTheWay)} is on the way from a bank or a lender
          {until !== undefined && `, expected by ${formatDay(until)}`}, and is not taken a second time.
        </Alert>
      )}
    </fieldset>
  )
}
