import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChoices } from '../../../api/choices.ts'
import { problemOf, problemsOf, useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { ProblemAlert } from '../../../ui/problem.tsx'
import { notify } from '../../../ui/toasts.tsx'
import {
  KIND_LABELS,
  monthsOf,
  PRORATING_TEXTS,
  RHYTHM_TEXTS,
  toSent,
  type FeeDraft,
  type Kind,
  type Prorating,
  type Rhythm,
  type SentFee,
} from './draft.ts'

type Change = (part: Partial<FeeDraft>) => void
type Part = { draft: FeeDraft; change: Change; flaw: (key: string) => string | undefined }

const choicesOf = (texts: Record<string, string>) =>
  Object.entries(texts).map(([value, label]) => ({ value, label }))

/** What an optional fee costs: its periods, its rule for parts, its options. */
export function FeeForm({
  year,
  feeId,
  begin,
  isUsed = false,
  onSaved,
}: {
  year: number
  /** Absent for a new one. */
  feeId?: string
  begin: FeeDraft
  isUsed?: boolean
  onSaved: (id: string) => void
}) {
  const mayChange = useMay('owner', 'finance')
  const path = `${useInstitutePath()}/optional-fees`
  const [draft, setDraft] = useState(begin)
  const change: Change = part => setDraft({ ...draft, ...part })
  const save = useCommand<SentFee, { optional_fee_id: string }>({
    method: feeId === undefined ? 'POST' : 'PUT',
    path: feeId === undefined ? path : `${path}/${feeId}`,
    refreshes: ['optional-fees', 'choices', 'audit'],
    onDone({ optional_fee_id: id }) {
      notify('The optional fee is saved.')
      onSaved(id)
    },
  })
  const flaw = (key: string): string | undefined => problemOf(save.error, key)
  const parts = { draft, change, flaw }
  const whole = wholeProblem(save.error)
  const hidden = problemsOf(save.error).filter(({ key }) => key === 'periods' || key === 'options')
  return (
    <form
      className="form rollover-form"
      aria-label="Optional fee"
      onSubmit={event => {
        event.preventDefault()
        save.mutate(toSent(draft, year))
      }}
    >
      <Stack gap="md">
        {isUsed && (
          <p className="faint">
            Children have this fee, so its code, periods and rules stay. Name, options, places and amounts can
            change; a new amount is for whoever is added from then on.
          </p>
        )}
        <Basics {...parts} isUsed={isUsed} />
        {draft.rhythm !== 'once' && <Periods {...parts} isUsed={isUsed} />}
        <Options {...parts} />
        {(whole !== undefined || hidden.length > 0) && (
          <ProblemAlert>{whole ?? hidden.map(one => `${one.key} ${one.message}`).join('; ')}</ProblemAlert>
        )}
        {mayChange ? (
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save the optional fee
            </Button>
          </Group>
        ) : (
          <p className="faint">An owner or somebody from finance can change it.</p>
        )}
      </Stack>
    </form>
  )
}

function Basics({ draft, change, flaw, isUsed }: Part & { isUsed: boolean }) {
  const { branches } = useChoices()
  const setKind = (kind: Kind): void =>
    change(
      kind === 'fine' || kind === 'deposit'
        ? { kind, rhythm: 'once', periods: [], prorating: 'none' }
        : { kind },
    )
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NativeSelect
          label="Kind"
          value={draft.kind}
          disabled={isUsed}
          error={flaw('kind')}
          onChange={event => setKind(event.currentTarget.value as Kind)}
          data={Object.entries(KIND_LABELS).map(([value, { label }]) => ({ value, label }))}
        />
        <TextInput
          label="Name"
          value={draft.name}
          error={flaw('name')}
          onChange={event => change({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Charged as"
          description="A code of its own, which the fee structure does not use."
          value={draft.component_type}
          disabled={isUsed}
          error={flaw('component_type')}
          onChange={event => change({ component_type: event.currentTarget.value })}
        />
        <NativeSelect
          label="Amounts are"
          value={draft.rhythm}
          disabled={isUsed || draft.kind === 'fine' || draft.kind === 'deposit'}
          error={flaw('rhythm')}
          onChange={event => change({ rhythm: event.currentTarget.value as Rhythm })}
          data={choicesOf(RHYTHM_TEXTS)}
        />
        {draft.rhythm === 'once' ? (
          <DayInput
            label="Due on"
            description="Empty: at no day."
            value={draft.due_date}
            disabled={isUsed}
            error={flaw('due_date')}
            onChange={day => change({ due_date: day })}
          />
        ) : (
          <NativeSelect
            label="A part of a period is charged"
            value={draft.prorating}
            disabled={isUsed}
            onChange={event => change({ prorating: event.currentTarget.value as Prorating })}
            data={choicesOf(PRORATING_TEXTS)}
          />
        )}
        {branches.length > 1 && (
          <NativeSelect
            label="For children of"
            value={draft.collector_code}
            disabled={isUsed}
            error={flaw('collector_code')}
            onChange={event => change({ collector_code: event.currentTarget.value })}
            data={[
              { value: '', label: 'Every branch' },
              ...branches.map(({ code, name }) => ({ value: code, label: name })),
            ]}
          />
        )}
      </SimpleGrid>
      <Rules draft={draft} change={change} isUsed={isUsed} />
    </>
  )
}

function Rules({ draft, change, isUsed }: Omit<Part, 'flaw'> & { isUsed: boolean }) {
  return (
    <Group>
      <Checkbox
        label="Parts are rounded to whole rupees"
        checked={draft.rounded_to_rupees}
        disabled={isUsed}
        onChange={event => change({ rounded_to_rupees: event.currentTarget.checked })}
      />
      <Checkbox
        label="Concessions apply (rules in per cent)"
        checked={draft.takes_concessions}
        disabled={isUsed}
        onChange={event => change({ takes_concessions: event.currentTarget.checked })}
      />
    </Group>
  )
}

function Periods({ draft, change, flaw, isUsed }: Part & { isUsed: boolean }) {
  const { periods, rhythm } = draft
  const first = periods[0]?.first_day ?? ''
  const last = periods.at(-1)?.last_day ?? ''
  const set = (index: number, part: Partial<FeeDraft['periods'][number]>): void =>
    change({ periods: periods.map((one, at) => (at === index ? { ...one, ...part } : one)) })
  const next = { name: `Term ${periods.length + 1}`, first_day: '', last_day: '', due_date: '' }
  return (
    <fieldset className="term" disabled={isUsed}>
      <legend>Periods</legend>
      {periods.map((period, index) => (
        // A period is known by its place alone while its name is being typed.
        <SimpleGrid key={index} cols={{ base: 2, sm: 5 }} mb="xs">
          <TextInput
            label="Name"
            value={period.name}
            error={flaw(`periods.${index}.name`)}
            onChange={event => set(index, { name: event.currentTarget.value })}
          />
          <DayInput
            label="First day"
            value={period.first_day}
            error={flaw(`periods.${index}.first_day`)}
            onChange={day => set(index, { first_day: day })}
          />
          <DayInput
            label="Last day"
            value={period.last_day}
            error={flaw(`periods.${index}.last_day`)}
            onChange={day => set(index, { last_day: day })}
          />
          <DayInput
            label="Due on"
            value={period.due_date}
            error={flaw(`periods.${index}.due_date`)}
            onChange={day => set(index, { due_date: day })}
          />
          <Button
            variant="default"
            mt="lg"
            aria-label={`Remove ${period.name}`}
            onClick={() => change({ periods: periods.filter((_, at) => at !== index) })}
          >
            Remove
          </Button>
        </SimpleGrid>
      ))}
      <Group>
        <Button variant="default" onClick={() => change({ periods: [...periods, next] })}>
          Add a period
        </Button>
        {rhythm === 'month' && first !== '' && last !== '' && (
          <Button
            variant="default"
            onClick={() =>
              change({ periods: monthsOf(first, last, Number(periods[0]?.due_date.slice(8)) || 10) })
            }
          >
            A period for each month in between
          </Button>
        )}
      </Group>
    </fieldset>
  )
}

function Options({ draft, change, flaw }: Part) {
  const { options, kind } = draft
  const set = (index: number, part: Partial<FeeDraft['options'][number]>): void =>
    change({ options: options.map((one, at) => (at === index ? { ...one, ...part } : one)) })
  const last = options.at(-1)
  const isRoute = kind === 'transport'
  return (
    <fieldset className="term">
      <legend>{isRoute ? 'Routes and stops' : 'Options'}</legend>
      {options.map((option, index) => (
        <SimpleGrid key={index} cols={{ base: 2, sm: isRoute ? 5 : 4 }} mb="xs">
          <TextInput
            label={isRoute ? 'Route' : 'Option'}
            value={option.name}
            error={flaw(`options.${index}.name`)}
            onChange={event => set(index, { name: event.currentTarget.value })}
          />
          {isRoute && (
            <TextInput
              label="Stop"
              value={option.stop}
              error={flaw(`options.${index}.stop`)}
              onChange={event => set(index, { stop: event.currentTarget.value })}
            />
          )}
          <AmountInput
            label={`Rupees ${RHYTHM_TEXTS[draft.rhythm]}`}
            value={option.amount}
            error={flaw(`options.${index}.amount`)}
            onChange={amount => set(index, { amount })}
          />
          <TextInput
            label={isRoute ? 'Places of the route' : 'Places'}
            inputMode="numeric"
            placeholder="No limit"
            value={option.places}
            error={flaw(`options.${index}.places`)}
            onChange={event => set(index, { places: event.currentTarget.value })}
          />
          <Button
            variant="default"
            mt="lg"
            aria-label={`Remove ${option.name} ${option.stop}`.trim()}
            disabled={options.length === 1}
            onClick={() => change({ options: options.filter((_, at) => at !== index) })}
          >
            Remove
          </Button>
        </SimpleGrid>
      ))}
      <Button
        variant="default"
        onClick={() =>
          change({
            options: [
              ...options,
              {
                name: isRoute ? (last?.name ?? '') : '',
                stop: '',
                amount: '',
                places: isRoute ? (last?.places ?? '') : '',
              },
            ],
          })
        }
      >
        {isRoute ? 'Add a stop' : 'Add an option'}
      </Button>
    </fieldset>
  )
}
