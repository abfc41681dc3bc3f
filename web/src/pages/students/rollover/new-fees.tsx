import { Button, Checkbox, Group, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'
import type { RolloverNeedsAnswer } from '../../../../../src/console/students/rollover/rollover.schemas.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { FormProblem } from '../../../ui/form/field.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { formatDay, yearName } from '../../../ui/when.tsx'
import { readable } from '../../../ui/words.ts'
import { isKept } from '../../approvals/kept.ts'
import { isRaise, raisedCopy, ROUNDINGS, ruleText, yearOfClass, yearsLater, type Raise } from './raise.ts'

export type Year = { start: number; end: number }

const nameOf = ({ start, end }: Year): string => yearName(start, end)

/** What the new year lacks, in sentences; undefined until it is known. */
export function useMissing(from: Year, to: Year): readonly string[] | undefined {
  const path = `${useInstitutePath()}/rollover-needs`
  const asked = {
    from_academic_year_start: String(from.start),
    from_academic_year_end: String(from.end),
    to_academic_year_start: String(to.start),
    to_academic_year_end: String(to.end),
  }
  return useQuery({
    queryKey: ['fee-structure', path, asked],
    queryFn: ({ signal }) => get<RolloverNeedsAnswer>(path, asked, signal),
    enabled: to.start > from.start,
  }).data?.missing
}

/** The first question of a new year: what it costs, and when. Without an answer it goes on only if that is said. */
export function NewFees({
  from,
  to,
  kept,
  missing,
  isWithout,
  onWithout,
}: {
  from: Year
  to: Year
  /** The structure of the new year; without amounts there is none. */
  kept: StructureAnswer
  missing: readonly string[]
  isWithout: boolean
  onWithout: (isWithout: boolean) => void
}) {
  const { code: institute } = useInstitute()
  const hasStructure = kept.amounts.length > 0
  return (
    <section aria-label="What the new year costs">
      <h2 className="section-title">{`What ${nameOf(to)} costs`}</h2>
      {hasStructure ? <KeptFees kept={kept} /> : <CopyLastYear from={from} to={to} />}
      {missing.map(sentence => (
        <p key={sentence} role="status">
          {sentence}
        </p>
      ))}
      <Group mt="sm">
        <LinkButton variant="default" to="/i/$institute/students/fees" params={{ institute }} search={{}}>
          {hasStructure ? 'Change the fee structure' : 'Write a fee structure'}
        </LinkButton>
      </Group>
      {missing.length > 0 && (
        <Checkbox
          mt="md"
          label={`Start ${nameOf(to)} without it`}
          description="It stands in the audit log."
          checked={isWithout}
          onChange={event => onWithout(event.currentTarget.checked)}
        />
      )}
    </section>
  )
}

/** When each term is due, and who pays less. */
export function KeptFees({ kept: { terms, concessions } }: { kept: StructureAnswer }) {
  return (
    <>
      <ShortTable
        name="Due days of the new year"
        rows={terms}
        rowId={term => term.name}
        columns={[
          { title: 'Term', cell: term => term.name },
          { title: 'Due on', cell: term => formatDay(term.due_date) },
        ]}
      />
      <p>{concessions.length === 0 ? 'No concessions by rule.' : 'Concessions by rule:'}</p>
      <ul>
        {concessions.map(rule => (
          <li key={rule.discount_type}>{ruleText(rule, { readable, formatRupees })}</li>
        ))}
      </ul>
    </>
  )
}

/** The structure of this year, raised, as that of the next. */
function CopyLastYear({ from, to }: { from: Year; to: Year }) {
  const path = `${useInstitutePath()}/fee-structures/${from.start}/${from.end}`
  const last = useQuery({
    queryKey: ['fee-structure', path],
    queryFn: ({ signal }) => get<StructureAnswer>(path, {}, signal),
  })
  if (last.data === undefined) return null
  if (last.data.amounts.length === 0)
    return (
      <p>{`${nameOf(from)} has no fee structure to copy. Write one, with its classes, fees and due days.`}</p>
    )
  return <CopyForm key={`${to.start}`} from={from} to={to} last={last.data} />
}

function CopyForm({ from, to, last }: { from: Year; to: Year; last: StructureAnswer }) {
  const path = `${useInstitutePath()}/fee-structures/${to.start}/${to.end}`
  const [raises, setRaises] = useState<Record<string, Raise>>({})
  const [roundTo, setRoundTo] = useState('100')
  const [dueDays, setDueDays] = useState(() =>
    last.terms.map(term => yearsLater(term.due_date, to.start - from.start)),
  )
  const copy = raisedCopy(last, { raises, roundTo: Number(roundTo), dueDays })
  const save = useCommand<typeof copy>({
    method: 'PUT',
    path,
    refreshes: ['fee-structure', 'choices', 'audit'],
    onDone(answer) {
      if (!isKept(answer)) notify(`The fee structure of ${nameOf(to)} is saved.`)
    },
  })
  const isSound = last.fee_heads.every(head => isRaise(raises[head] ?? NOT_RAISED))
  return (
    <form
      aria-label="Copy the fee structure"
      onSubmit={event => {
        event.preventDefault()
        save.mutate(copy)
      }}
    >
      <Stack gap="md">
        <p>{`Take the fee structure of ${nameOf(from)}, with its concessions, and raise what rises.`}</p>
        <RaisesTable heads={last.fee_heads} raises={raises} onChange={setRaises} />
        <NativeSelect
          label="A raised amount is rounded to"
          description="For each class, fee and term; half and more goes up. What is not raised stays as it is."
          maw={320}
          value={roundTo}
          onChange={event => setRoundTo(event.currentTarget.value)}
          data={[...ROUNDINGS]}
        />
        <Group align="flex-end">
          {last.terms.map((term, index) => (
            <DayInput
              key={term.name}
              required
              label={`${term.name} of ${nameOf(to)} is due on`}
              value={dueDays[index] ?? ''}
              onChange={day => setDueDays(dueDays.with(index, day))}
            />
          ))}
        </Group>
        <ShortTable
          name="What each class pays in the year, before concessions"
          rows={last.grades}
          rowId={grade => grade}
          columns={[
            { title: 'Class', cell: grade => <strong>{grade}</strong> },
            {
              title: nameOf(from),
              isAmount: true,
              cell: grade => formatRupees(yearOfClass(last.amounts, grade)),
            },
            {
              title: nameOf(to),
              isAmount: true,
              cell: grade => formatRupees(yearOfClass(copy.amounts, grade)),
            },
          ]}
        />
        <FormProblem error={save.error} />
        <Group>
          <Button type="submit" disabled={!isSound} loading={save.isPending}>
            {`Save as the fee structure of ${nameOf(to)}`}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const NOT_RAISED: Raise = { by: '', unit: 'percent' }

function RaisesTable({
  heads,
  raises,
  onChange,
}: {
  heads: readonly string[]
  raises: Readonly<Record<string, Raise>>
  onChange: (raises: Record<string, Raise>) => void
}) {
  const of = (head: string): Raise => raises[head] ?? NOT_RAISED
  const change = (head: string, part: Partial<Raise>): void =>
    onChange({ ...raises, [head]: { ...of(head), ...part } })
  return (
    <ShortTable
      name="Raise each fee"
      rows={heads}
      rowId={head => head}
      columns={[
        { title: 'Fee', cell: head => <strong>{readable(head)}</strong> },
        {
          title: 'Raise by',
          cell: head => (
            <AmountInput
              aria-label={`Raise ${readable(head)} by`}
              placeholder="As it is"
              maw={140}
              value={of(head).by}
              error={isRaise(of(head)) ? undefined : 'A number such as 8 or 7.5'}
              onChange={amount => change(head, { by: amount.trim() })}
            />
          ),
        },
        {
          title: 'In',
          cell: head => (
            <NativeSelect
              aria-label={`${readable(head)}: percent or rupees`}
              maw={180}
              value={of(head).unit}
              onChange={event =>
                change(head, { unit: event.currentTarget.value === 'rupees' ? 'rupees' : 'percent' })
              }
              data={[
                { value: 'percent', label: 'percent' },
                { value: 'rupees', label: 'rupees a term' },
              ]}
            />
          ),
        },
      ]}
    />
  )
}
