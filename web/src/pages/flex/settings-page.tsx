import { Button, Group, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingsAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { Summary } from '../../ui/detail.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { FlexFrame } from './flex-frame.tsx'
import { useChoices } from '../../api/choices.ts'
import { readable } from '../../ui/words.ts'
import { counted } from '../../ui/money.tsx'

/** What a plan looks like when the ERP sends no schedule of its own. */
export function FlexSettingsPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'finance')
  const settings = useQuery({
    queryKey: ['flex', path, 'settings'],
    queryFn: ({ signal }) => get<SettingsAnswer>(`${path}/flex/settings`, {}, signal),
  })
  return (
    <FlexFrame here="settings">
      <p>New plans use these settings when the ERP sends no schedule. Existing plans stay as they are.</p>
      {settings.isPending && <Loading />}
      {settings.isError && <Failed error={settings.error} retry={() => void settings.refetch()} />}
      {settings.isSuccess &&
        (mayChange ? <SettingsForm known={settings.data} /> : <Shown known={settings.data} />)}
    </FlexFrame>
  )
}

function Shown({ known }: { known: SettingsAnswer }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'Name for parents', value: known.product_name },
          { label: 'Instalments', value: `${known.instalments}, monthly` },
          { label: 'Due on day', value: known.day_of_month },
          { label: 'Down payment', value: `${known.downpayment_percent} %` },
          {
            label: 'Parents may also choose',
            value: known.offered.length === 0 ? 'Nothing else' : `${known.offered.join(', ')} instalments`,
          },
          {
            label: 'Single charges asked for',
            value:
              known.charge_components.length === 0
                ? 'None'
                : known.charge_components.map(readable).join(', '),
          },
        ]}
      />
      <p className="faint">An owner or somebody from finance can change it.</p>
    </>
  )
}

type Numbers = Omit<SettingsAnswer, 'product_name' | 'offered' | 'charge_components'>

const FIELDS: { key: keyof Numbers; label: string; description: string; least: number; most: number }[] = [
  {
    key: 'instalments',
    label: 'Instalments',
    description: 'Equal parts, one a month: 1 to 36.',
    least: 1,
    most: 36,
  },
  {
    key: 'day_of_month',
    label: 'Due on day of the month',
    description: '1 to 28, so that every month has that day.',
    least: 1,
    most: 28,
  },
  {
    key: 'downpayment_percent',
    label: 'Down payment, percent',
    description: 'Paid online when the plan is set up: 0 (nothing) to 90.',
    least: 0,
    most: 90,
  },
]

function SettingsForm({ known }: { known: SettingsAnswer }) {
  const path = useInstitutePath()
  const [draft, setDraft] = useState(known)
  const [isAsking, setIsAsking] = useState(false)
  const change = useCommand<SettingsAnswer & { reason: string }>({
    method: 'PATCH',
    path: `${path}/flex/settings`,
    refreshes: ['flex', 'audit'],
    onDone() {
      notify('New plans will use these settings.')
      setIsAsking(false)
    },
  })
  const problem = (field: string) => problemOf(change.error, field)
  const isSame = (Object.keys(known) as (keyof SettingsAnswer)[]).every(
    key => String(known[key]) === String(draft[key]),
  )
  return (
    <>
      <form
        className="flex-form"
        onSubmit={event => {
          event.preventDefault()
          change.reset()
          setIsAsking(true)
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name for parents"
            description="Shown on the set-up page and in messages."
            required
            maxLength={64}
            value={draft.product_name}
            onChange={event => setDraft({ ...draft, product_name: event.currentTarget.value })}
            error={problem('product_name')}
          />
          {FIELDS.map(({ key, label, description: words, least, most }) => (
            <NumberInput
              key={key}
              label={label}
              description={words}
              required
              allowDecimal={false}
              min={least}
              max={most}
              value={draft[key]}
              onChange={value => setDraft({ ...draft, [key]: Number(value) })}
              error={problem(key)}
            />
          ))}
          <OfferedLengths draft={draft} setDraft={setDraft} error={problem('offered')} />
          <ChargeComponents draft={draft} setDraft={setDraft} error={problem('charge_components')} />
          <p className="faint">{inWords(draft)}</p>
          <Group>
            <Button type="submit" disabled={isSame || draft.product_name.trim() === ''}>
              Change the default plan
            </Button>
            {!isSame && (
              <Button variant="default" onClick={() => setDraft(known)}>
                Cancel as it is
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <ConfirmWithReason
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Change the default plan?"
        description={`${inWords(draft)} Existing plans stay as they are.`}
        verb="Change it"
        isBusy={change.isPending}
        error={change.error}
        onConfirm={reason => change.mutate({ ...draft, reason })}
      />
    </>
  )
}

type OfferedProps = {
  draft: SettingsAnswer
  setDraft: (draft: SettingsAnswer) => void
  error: string | undefined
}

function OfferedLengths({ draft, setDraft, error }: OfferedProps) {
  return (
    <TagsInput
      label="Parents may also choose"
      description="Other numbers of instalments, such as 3 and 6, at most 6 of them. A parent sees those that end inside the academic year (31 March), each with its monthly amount."
      value={draft.offered.map(String)}
      onChange={values => setDraft({ ...draft, offered: lengthsOf(values) })}
      maxTags={6}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable
      error={error}
    />
  )
}

/** Families are asked about each with a box of its own. */
function ChargeComponents({
  draft,
  setDraft,
  error,
}: {
  draft: SettingsAnswer
  setDraft: (draft: SettingsAnswer) => void
  error: string | undefined
}) {
  const { components } = useChoices()
  return (
    <TagsInput
      label="Single charges that parents are asked about"
      description="Fees such as PICNIC_FEE that you may debit once beside the instalments from whoever agrees. Use fees that nothing else charges."
      data={components.map(({ code }) => code)}
      maxTags={10}
      value={draft.charge_components}
      onChange={values => setDraft({ ...draft, charge_components: values.map(value => value.trim()) })}
      error={error}
    />
  )
}

/** Ignores text that is no number of instalments. */
function lengthsOf(values: readonly string[]): number[] {
  const numbers = values.map(Number).filter(value => Number.isInteger(value) && value >= 1 && value <= 36)
  return [...new Set(numbers)].sort((one, other) => one - other)
}

function inWords({
  product_name: name,
  instalments,
  day_of_month: day,
  downpayment_percent: down,
  offered,
}: SettingsAnswer) {
  const first = down === 0 ? 'nothing at set-up' : `${down} % of the fees at set-up`
  const others = offered.length === 0 ? '' : ` Parents may also choose ${offered.join(', ')} parts.`
  return `New plans, called “${name}”, take ${first} and the rest in ${counted(instalments, 'monthly part')}, due on day ${day}.${others}`
}
