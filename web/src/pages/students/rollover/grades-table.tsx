import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { CodeList } from '../../../ui/form/field.tsx'
import { readable } from '../../../ui/words.ts'
import { useChoices } from '../../../api/choices.ts'
import { errorProps, feeField, nextGradeField, type FieldProblem } from './problems.ts'
import { knownFee, nextGrades, type GradeRow, type Structure } from './structure.ts'

type Props = {
  structure: Structure
  onChange: (structure: Structure) => void
  problems: readonly FieldProblem[]
}

export function GradesTable({ structure, onChange, problems }: Props) {
  const choices = useChoices()
  const change = (grade: string, part: Partial<GradeRow>): void =>
    onChange({
      ...structure,
      grades: structure.grades.map(row => (row.grade === grade ? { ...row, ...part } : row)),
    })
  return (
    <>
      <ShortTable
        name="Where each class goes"
        rows={structure.grades}
        rowId={row => row.grade}
        columns={[
          { title: 'Class now', cell: row => <strong>{row.grade}</strong> },
          { title: 'Students', isAmount: true, cell: row => formatCount(row.students) },
          {
            title: 'Next class',
            cell: row => (
              <TextInput
                aria-label={`Next class after ${row.grade}`}
                list="rollover-grades"
                maw={180}
                maxLength={64}
                value={row.leaves ? '' : row.next}
                disabled={row.leaves}
                error={!row.leaves && row.next.trim() === '' ? 'Choose one, or tick Leaves' : undefined}
                {...errorProps(problems, nextGradeField(row.grade))}
                onChange={event => change(row.grade, { next: event.currentTarget.value })}
              />
            ),
          },
          {
            title: 'Leaves',
            cell: row => (
              <Checkbox
                label="Leaves the school"
                aria-label={`Class ${row.grade} leaves the school`}
                checked={row.leaves}
                onChange={event => change(row.grade, { leaves: event.currentTarget.checked })}
              />
            ),
          },
        ]}
      />
      <CodeList id="rollover-grades" entries={choices.grades} />
    </>
  )
}

export function FeesTable({ structure, onChange, problems }: Props) {
  const choices = useChoices()
  const codes = choices.components.map(one => one.code)
  const [added, setAdded] = useState('')
  const { components, amounts } = structure
  const set = (grade: string, component: string, amount: string): void =>
    onChange({ ...structure, amounts: { ...amounts, [grade]: { ...amounts[grade], [component]: amount } } })
  const add = (): void => {
    const component = knownFee(added.trim(), [...components, ...codes])
    if (component === '') return
    if (!components.includes(component)) onChange({ ...structure, components: [...components, component] })
    setAdded('')
  }
  return (
    <fieldset>
      <legend>Fees of the new year, in rupees</legend>
      <p className="faint">
        Suggested from what most students of that class are charged this year; a class without students this
        year begins empty. Leave a field empty if the class does not have the fee. Concessions are given to
        students afterwards.
      </p>
      <ShortTable
        name="Fees of each new grade"
        rows={nextGrades(structure)}
        rowId={grade => grade}
        columns={[
          { title: 'New class', cell: grade => <strong>{grade}</strong> },
          ...components.map(component => ({
            title: readable(component),
            cell: (grade: string) => (
              <AmountInput
                aria-label={`${readable(component)} of class ${grade}, rupees`}
                maw={160}
                value={amounts[grade]?.[component] ?? ''}
                {...errorProps(problems, feeField(grade, component))}
                onChange={amount => set(grade, component, amount)}
              />
            ),
          })),
        ]}
      />
      <Group align="flex-end" mt="sm">
        <TextInput
          label="Another fee"
          description="A code, such as TRANSPORT_FEE."
          list="rollover-components"
          maxLength={64}
          value={added}
          onChange={event => setAdded(event.currentTarget.value)}
        />
        <Button variant="default" disabled={added.trim() === ''} onClick={add}>
          Add the fee
        </Button>
      </Group>
      <CodeList id="rollover-components" entries={choices.components} />
    </fieldset>
  )
}
