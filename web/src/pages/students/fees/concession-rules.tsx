import { Autocomplete, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CategoryAnswer } from '../../../../../src/console/students/fees/fees.output.ts'
import { get } from '../../../api/client.ts'
import type { Draft, Flaws, RuleDraft } from './draft.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'

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
  path,
  onChange,
}: {
  draft: Draft
  flaws: Flaws
  /** Address of the structure. */
  path: string
  onChange: (draft: Draft) => void
}) {
  const { concessions } = draft
  const categories = useQuery({
    queryKey: ['students', 'categories', path],
    queryFn: ({ signal }) => get<CategoryAnswer[]>(`${path}/categories`, {}, signal),
  })
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
          categories={categories.data}
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
  categories,
  flaw,
  onChange,
  onRemove,
}: {
  rule: RuleDraft
  categories: readonly CategoryAnswer[] | undefined
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
        <Autocomplete
          label="For students of the category"
          description={foundBy(rule.category, categories)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={64}
          w={260}
          data={(categories ?? []).map(one => one.category)}
          value={rule.category}
          error={flaw('category')}
          onChange={category => set({ category })}
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
      <AmountInput
        label="or rupees off each"
        w={160}
        value={rule.amount}
        error={flaw('amount')}
        onChange={amount => set({ amount, percent: '' })}
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

/** What the rule would find, said while it is typed: one that finds nobody is a misspelling more often than not. */
function foundBy(typed: string, categories: readonly CategoryAnswer[] | undefined): string | undefined {
  const wanted = typed.trim().toLowerCase()
  if (categories === undefined || wanted === '') return undefined
  const found = categories.find(({ category }) => category.toLowerCase() === wanted)
  if (found !== undefined)
    return `${found.students} ${found.students === 1 ? 'child has' : 'children have'} it.`
  const others = categories.slice(0, 5).map(one => `${one.category} (${one.students})`)
  const known = others.length === 0 ? 'No child has a category yet.' : `Children have: ${others.join(', ')}.`
  return `No child of this year has this category, so nobody would get it. ${known}`
}
