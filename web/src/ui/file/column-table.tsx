import { NativeSelect } from '@mantine/core'
import type { FileColumnsAnswer } from '../../../../src/console/lists/list.schemas.ts'
import { useChoices } from '../../api/choices.ts'
import { ChoicesFailed } from '../choices-failed.tsx'
import { ShortTable } from '../table/short-table.tsx'
import { readable } from '../words.ts'

/** What a column may be, by the name that the server has for it. */
export type Fields = { group: string; labels: Readonly<Record<string, string>> }
type Fees = { group: string; known: readonly { code: string; name: string }[] }

function headingOf({ title, index }: { title: string; index: number }): string {
  return title || `Column ${index + 1}`
}

/** What each column of a file is: a field, a fee with its amounts, or nothing. */
export function ColumnTable({
  columns,
  names,
  onChange,
  fields,
  fees,
}: {
  columns: FileColumnsAnswer['columns']
  names: readonly string[]
  onChange: (names: string[]) => void
  fields: Fields
  fees: string
}) {
  const { components } = useChoices()
  return (
    <>
      <ChoicesFailed />
      <ShortTable
        name="Columns of the file"
        rows={columns.map((column, index) => ({ ...column, index }))}
        rowId={({ index }) => String(index)}
        columns={[
          { title: 'Column', cell: column => <strong>{headingOf(column)}</strong> },
          { title: 'First rows', cell: column => <span className="faint">{column.samples.join(', ')}</span> },
          {
            title: 'Is',
            cell: column => (
              <NativeSelect
                aria-label={`What ${headingOf(column)} is`}
                value={names[column.index] ?? ''}
                onChange={event => onChange(names.with(column.index, event.currentTarget.value))}
                data={optionsOf(column.guess, fields, { group: fees, known: components })}
              />
            ),
          },
        ]}
      />
    </>
  )
}

const FEE = 'fee:'

/** The fields, the school's fees, and the fee that the column's heading names. */
function optionsOf(guess: string | undefined, { group, labels }: Fields, fees: Fees) {
  const codes = new Set([
    ...fees.known.map(({ code }) => code),
    ...(guess?.startsWith(FEE) ? [guess.slice(FEE.length)] : []),
  ])
  return [
    { value: '', label: 'Leave out' },
    { group, items: Object.entries(labels).map(([value, label]) => ({ value, label })) },
    {
      group: fees.group,
      items: [...codes].map(code => ({
        value: FEE + code,
        label: fees.known.find(fee => fee.code === code && fee.name !== code)?.name ?? readable(code),
      })),
    },
  ].filter(option => !('items' in option) || option.items.length > 0)
}

/** The office's name of a column. */
export function columnLabel(column: string, labels: Readonly<Record<string, string>>): string {
  return column.startsWith(FEE) ? readable(column.slice(FEE.length)) : (labels[column] ?? column)
}
