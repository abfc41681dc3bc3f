import { Button, Group, TextInput } from '@mantine/core'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { readable } from '../../../ui/words.ts'
import { cellKey, headsOf, namesOf, type Draft, type Flaws } from './draft.ts'

/** One term: its name, when it is due, and what each class pays of each fee. */
export function TermTable({
  no,
  term,
  draft,
  flaws,
  known,
  onChange,
}: {
  no: number
  term: Draft['terms'][number]
  draft: Draft
  flaws: Flaws
  known: readonly string[]
  onChange: (draft: Draft) => void
}) {
  const [heads, grades] = [headsOf(draft.heads, known), namesOf(draft.grades)]
  const change = (part: Partial<typeof term>): void =>
    onChange({ ...draft, terms: draft.terms.with(no - 1, { ...term, ...part }) })
  const copyFirst = (): void => {
    const copied = grades.flatMap(grade =>
      heads.map(head => [cellKey(grade, head, no), draft.amounts[cellKey(grade, head, 1)] ?? '']),
    )
    onChange({ ...draft, amounts: { ...draft.amounts, ...Object.fromEntries(copied) } })
  }
  const remove = (): void => onChange({ ...draft, terms: draft.terms.slice(0, -1) })
  return (
    <fieldset className="term">
      <legend>{term.name || `Term ${no}`}</legend>
      <TermHead
        no={no}
        term={term}
        draft={draft}
        flaws={flaws}
        onChange={change}
        onCopy={copyFirst}
        onRemove={remove}
      />
      {grades.length === 0 || heads.length === 0 ? (
        <p className="faint">Name the classes and the fees above; their amounts are entered here.</p>
      ) : (
        <ShortTable
          name={`Amounts of ${term.name}`}
          rows={grades}
          rowId={grade => grade}
          columns={[
            { title: 'Class', cell: grade => <strong>{grade}</strong> },
            ...heads.map(head => ({
              title: readable(head),
              cell: (grade: string) => (
                <AmountInput
                  aria-label={`${readable(head)} of class ${grade}, ${term.name}, rupees`}
                  maw={140}
                  value={draft.amounts[cellKey(grade, head, no)] ?? ''}
                  error={flaws.cells[cellKey(grade, head, no)]}
                  onChange={amount =>
                    onChange({
                      ...draft,
                      amounts: { ...draft.amounts, [cellKey(grade, head, no)]: amount },
                    })
                  }
                />
              ),
            })),
          ]}
        />
      )}
    </fieldset>
  )
}

function TermHead({
  no,
  term,
  draft,
  flaws,
  onChange,
  onCopy,
  onRemove,
}: {
  no: number
  term: Draft['terms'][number]
  draft: Draft
  flaws: Flaws
  onChange: (part: Partial<Draft['terms'][number]>) => void
  onCopy: () => void
  onRemove: () => void
}) {
  return (
    <Group align="flex-end" mb="sm">
      <TextInput
        label="Name of the term"
        maxLength={20}
        value={term.name}
        error={flaws.fields[`terms.${no - 1}.name`]}
        onChange={event => onChange({ name: event.currentTarget.value })}
      />
      <DayInput
        label={`${term.name || `Term ${no}`} is due on`}
        required
        value={term.due_date}
        error={flaws.fields[`terms.${no - 1}.due_date`]}
        onChange={day => onChange({ due_date: day })}
      />
      {no > 1 && (
        <Button variant="default" onClick={onCopy}>
          {`Same amounts as ${draft.terms[0]?.name ?? 'the first'}`}
        </Button>
      )}
      {no > 1 && no === draft.terms.length && (
        <Button variant="default" onClick={onRemove}>
          {`Remove ${term.name}`}
        </Button>
      )}
    </Group>
  )
}
