import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import type { PaymentRulesAnswer } from '../../../../src/dues/dues.schemas.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { DayInput } from '../../ui/form/day-input.tsx'
import { readable } from '../../ui/words.ts'
import { useChoices } from '../../api/choices.ts'

/** A rule as it is being edited. */
export type LateFeeDraft = {
  component_type: string
  due_date: string
  grace_days: string
  kind: 'none' | 'per_day' | 'slab'
  amount_per_day: string
  slabs: { from_day: string; amount: string }[]
  max_amount: string
}

const KINDS: Record<LateFeeDraft['kind'], string> = {
  none: 'No late fee, only a due day',
  per_day: 'Rupees for each day late',
  slab: 'Rupees by how late it is',
}

const NEW: LateFeeDraft = {
  component_type: '',
  due_date: '',
  grace_days: '0',
  kind: 'per_day',
  amount_per_day: '50',
  slabs: [{ from_day: '1', amount: '200' }],
  max_amount: '',
}

export function toLateFeeDraft(rule: PaymentRulesAnswer['late_fees'][number]): LateFeeDraft {
  return {
    component_type: rule.component_type ?? '',
    due_date: rule.due_date,
    grace_days: String(rule.grace_days),
    kind: rule.kind,
    amount_per_day: String(rule.amount_per_day ?? ''),
    slabs: (rule.slabs ?? []).map(slab => ({ from_day: String(slab.from_day), amount: String(slab.amount) })),
    max_amount: String(rule.max_amount ?? ''),
  }
}

/** Only what its kind takes. */
export function toSentLateFee(rule: LateFeeDraft) {
  return {
    ...(rule.component_type === '' ? {} : { component_type: rule.component_type }),
    due_date: rule.due_date,
    grace_days: Number(rule.grace_days || '0'),
    kind: rule.kind,
    ...(rule.kind === 'per_day' ? { amount_per_day: plainAmount(rule.amount_per_day) } : {}),
    ...(rule.kind === 'slab'
      ? {
          slabs: rule.slabs.map(slab => ({
            from_day: Number(slab.from_day),
            amount: plainAmount(slab.amount),
          })),
        }
      : {}),
    ...(rule.kind === 'none' || rule.max_amount === '' ? {} : { max_amount: plainAmount(rule.max_amount) }),
  }
}

/** When fees are due that no fee structure has a day for, and what being late costs. */
export function LateFees({
  rules,
  onChange,
}: {
  rules: readonly LateFeeDraft[]
  onChange: (rules: LateFeeDraft[]) => void
}) {
  return (
    <fieldset>
      <legend>Due days and late fees</legend>
      <p className="faint">
        Where the fee structure has a due day for a fee, days are counted from that one; the due day here is
        for the others.
      </p>
      {rules.map((rule, index) => (
        // A rule is known by its place alone while it is being typed.
        <Rule
          key={index}
          no={index + 1}
          rule={rule}
          onChange={changed => onChange(rules.with(index, changed))}
          onRemove={() => onChange(rules.toSpliced(index, 1))}
        />
      ))}
      <Button variant="default" onClick={() => onChange([...rules, NEW])}>
        Add a late fee
      </Button>
    </fieldset>
  )
}

type RuleProps = {
  no: number
  rule: LateFeeDraft
  onChange: (rule: LateFeeDraft) => void
  onRemove: () => void
}

function Rule({ no, rule, onChange, onRemove }: RuleProps) {
  const components = useChoices().components
  const set = (part: Partial<LateFeeDraft>): void => onChange({ ...rule, ...part })
  const codes = new Set(
    [...components.map(({ code }) => code), rule.component_type].filter(code => code !== ''),
  )
  return (
    <Group align="flex-end" mb="md" role="group" aria-label={`Late fee ${no}`}>
      <NativeSelect
        label="Of"
        value={rule.component_type}
        onChange={event => set({ component_type: event.currentTarget.value })}
        data={[
          { value: '', label: 'Every fee without a rule of its own' },
          ...[...codes].map(code => ({ value: code, label: readable(code) })),
        ]}
      />
      <DayInput label="Due on" required value={rule.due_date} onChange={day => set({ due_date: day })} />
      <TextInput
        label="Days of grace"
        inputMode="numeric"
        w={110}
        value={rule.grace_days}
        onChange={event => set({ grace_days: event.currentTarget.value })}
      />
      <NativeSelect
        label="Late fee"
        value={rule.kind}
        onChange={event => set({ kind: event.currentTarget.value as LateFeeDraft['kind'] })}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
      />
      <Charge rule={rule} set={set} />
      <Button variant="default" onClick={onRemove} aria-label={`Remove late fee ${no}`}>
        Remove
      </Button>
    </Group>
  )
}

function Charge({ rule, set }: { rule: LateFeeDraft; set: (part: Partial<LateFeeDraft>) => void }) {
  if (rule.kind === 'none') return null
  return (
    <>
      {rule.kind === 'per_day' && (
        <AmountInput
          label="Rupees a day"
          w={120}
          value={rule.amount_per_day}
          onChange={amount => set({ amount_per_day: amount })}
        />
      )}
      {rule.kind === 'slab' && <Slabs slabs={rule.slabs} onChange={slabs => set({ slabs })} />}
      <AmountInput
        label="At most, rupees"
        w={130}
        placeholder="No limit"
        value={rule.max_amount}
        onChange={amount => set({ max_amount: amount })}
      />
    </>
  )
}

function Slabs({
  slabs,
  onChange,
}: {
  slabs: LateFeeDraft['slabs']
  onChange: (slabs: LateFeeDraft['slabs']) => void
}) {
  return (
    <>
      {slabs.map((slab, index) => (
        <Group key={index} gap="xs" align="flex-end">
          <TextInput
            label="From day"
            inputMode="numeric"
            w={90}
            value={slab.from_day}
            onChange={event => onChange(slabs.with(index, { ...slab, from_day: event.currentTarget.value }))}
          />
          <AmountInput
            label="Rupees in all"
            w={120}
            value={slab.amount}
            onChange={amount => onChange(slabs.with(index, { ...slab, amount }))}
          />
        </Group>
      ))}
      <Button variant="default" onClick={() => onChange([...slabs, { from_day: '', amount: '' }])}>
        Add a step
      </Button>
    </>
  )
}
