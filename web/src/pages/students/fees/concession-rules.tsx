import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import type { Draft, Flaws, RuleDraft } from './draft.ts'

const SIBLING: RuleDraft = {
  discount_type: 'SIBLING',
  kind: 'sibling',
  child: '2',
  category: '',
  heads: '',
  percent: '10',
  amount: '',
}
const STAFF: RuleDraft = {
  ...SIBLING,
  discount_type: 'STAFF_CHILD',
  kind: 'category',
  category: 'Staff',
  percent: '50',
}

/** Concessions that follow from who the student is; they are given when the structure is applied. */
export function ConcessionRules({
  draft,
  flaws,
  onChange,
}: {
  draft: Draft
  flaws: Flaws
  onChange: (draft: Draft) => void
}) {
  const { concessions } = draft
  const add = (rule: RuleDraft): void => onChange({ ...draft, concessions: [...concessions, rule] })
  return (
    <fieldset className="term">
      <legend>Concessions by rule</legend>
      <p className="faint">
        Given when the structure is applied, and shown with the fee. A rule for the second child is also for
        later ones unless they have a rule of their own. Concessions that people gave to a student stay.
      </p>
      {concessions.map((rule, index) => (
        // A rule is known by its place alone while its name is being typed.
        <Rule
          key={index}
          rule={rule}
          flaw={field => flaws.fields[`concessions.${index}.${field}`]}
          onChange={changed => onChange({ ...draft, concessions: concessions.with(index, changed) })}
          onRemove={() => onChange({ ...draft, concessions: concessions.toSpliced(index, 1) })}
        />
      ))}
      <Group>
        <Button variant="default" onClick={() => add({ ...SIBLING, ...nextChild(concessions) })}>
          Add for brothers and sisters
        </Button>
        <Button variant="default" onClick={() => add(STAFF)}>
          Add for children of staff, or another category
        </Button>
      </Group>
    </fieldset>
  )
}

function nextChild(rules: readonly RuleDraft[]): Pick<RuleDraft, 'child' | 'discount_type'> {
  const child = String(rules.filter(({ kind }) => kind === 'sibling').length + 2)
  return { child, discount_type: `SIBLING_${child}` }
}

function Rule({
  rule,
  flaw,
  onChange,
  onRemove,
}: {
  rule: RuleDraft
  flaw: (field: string) => string | undefined
  onChange: (rule: RuleDraft) => void
  onRemove: () => void
}) {
  const set = (part: Partial<RuleDraft>): void => onChange({ ...rule, ...part })
  return (
    <Group align="flex-end" mb="sm" role="group" aria-label={`Concession ${rule.discount_type}`}>
      <TextInput
        label="Name of the concession"
        maxLength={64}
        value={rule.discount_type}
        error={flaw('discount_type')}
        onChange={event => set({ discount_type: event.currentTarget.value })}
      />
      {rule.kind === 'sibling' ? (
        <NativeSelect
          label="For"
          value={rule.child}
          error={flaw('child')}
          onChange={event => set({ child: event.currentTarget.value })}
          data={[2, 3, 4, 5].map(no => ({ value: String(no), label: `child ${no} of a family` }))}
        />
      ) : (
        <TextInput
          label="For students of the category"
          maxLength={64}
          value={rule.category}
          error={flaw('category')}
          onChange={event => set({ category: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Percent"
        inputMode="numeric"
        w={90}
        value={rule.percent}
        error={flaw('percent')}
        onChange={event => set({ percent: event.currentTarget.value, amount: '' })}
      />
      <TextInput
        label="or rupees off each"
        inputMode="decimal"
        w={160}
        value={rule.amount}
        error={flaw('amount')}
        onChange={event => set({ amount: event.currentTarget.value, percent: '' })}
      />
      <TextInput
        label="Of these fees"
        placeholder="Every one"
        value={rule.heads}
        error={flaw('fee_heads')}
        onChange={event => set({ heads: event.currentTarget.value })}
      />
      <Button variant="default" onClick={onRemove} aria-label={`Remove ${rule.discount_type}`}>
        Remove
      </Button>
    </Group>
  )
}
