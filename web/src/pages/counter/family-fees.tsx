import { Alert, SimpleGrid, TextInput } from '@mantine/core'
import type { FamilyAnswer } from '../../../../src/console/counter/family.schemas.ts'
import { formatRupees, sumRupees } from '../../ui/money.tsx'
import { formatDay, yearName } from '../../ui/when.tsx'
import { readable } from '../../ui/words.ts'
import { plainAmount } from '../students/texts.ts'

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

type Props = { family: FamilyAnswer; amounts: Amounts; onChange: (amounts: Amounts) => void }

export function FamilyFees({ family, amounts, onChange }: Props) {
  return family.children.map(child => (
    <ChildFees
      key={child.service_student_id}
      child={child}
      amounts={amounts}
      onType={(code, typed) => onChange({ ...amounts, [keyOf(child, code)]: typed })}
    />
  ))
}

function ChildFees({
  child,
  amounts,
  onType,
}: {
  child: Child
  amounts: Amounts
  onType: (code: string, typed: string) => void
}) {
  const year = yearName(child.academic_year_start, child.academic_year_end)
  const grade = [child.grade_name, child.section].filter(Boolean).join(' ')
  const overdue = sumRupees(child.fees.map(fee => fee.overdue_amount))
  const { on_the_way_amount: onTheWay, on_the_way_until: until } = child
  return (
    <fieldset>
      <legend>
        {child.fullname}, {child.identifier}, {grade}, {year}
        {overdue > 0 && `: ${formatRupees(overdue)} overdue`}
      </legend>
      {child.fees.length === 0 && <p className="faint">Nothing is left to pay.</p>}
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
        {child.fees.map(fee => (
          <TextInput
            key={fee.component_type}
            label={`${readable(fee.component_type)}, rupees`}
            aria-label={`${readable(fee.component_type)} of ${child.fullname}, rupees`}
            description={[
              `${formatRupees(fee.left_amount)} left`,
              fee.due_on !== undefined && `due ${formatDay(fee.due_on)}`,
            ]
              .filter(Boolean)
              .join(', ')}
            inputMode="decimal"
            value={amounts[keyOf(child, fee.component_type)] ?? ''}
            onChange={event => onType(fee.component_type, event.currentTarget.value)}
          />
        ))}
        {onTheWay > 0 && (
          <TextInput
            label="As an advance, rupees"
            description="Pays no fee; only if the family wishes so."
            inputMode="decimal"
            value={amounts[keyOf(child, ADVANCE)] ?? ''}
            onChange={event => onType(ADVANCE, event.currentTarget.value)}
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
