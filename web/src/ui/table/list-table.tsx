import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import type { ListColumnsAnswer } from '../../../../src/console/lists/list.schemas.ts'
import { useChoices, type Choices } from '../../api/choices.ts'
import { get } from '../../api/client.ts'
import { formatCount, formatRupees } from '../money.tsx'
import { Failed, LoadingRows } from '../states.tsx'
import { StatusBadge, type Tone } from '../status-badge.tsx'
import { formatDay, formatMoment, When } from '../when.tsx'
import { DataTable, type Column } from './data-table.tsx'
import type { Filter } from './use-filters.ts'

type Labels = Readonly<Record<string, { label: string; tone?: Tone }>>
type Key<Row> = keyof Row & string

type Props<Row> = Omit<ComponentProps<typeof DataTable<Row>>, 'columns' | 'filters' | 'counted'> & {
  /** What each state, or each choice of a filter, is called. */
  labels?: Readonly<Partial<Record<string, Labels>>>
  /** Cells that show more than their field. */
  cells?: Partial<Record<Key<Row>, (row: Row) => ReactNode>>
  /** What is a column on this page and not of the list, such as its actions; after all others. */
  more?: readonly Column<Row>[]
  /** The list is only read a page at a time: it has no count, no other order and no file of the whole. */
  isBare?: boolean
  /** Columns and filters that this page leaves out. */
  without?: readonly string[]
  /** What the rows are called, where this page knows it better than the list. */
  called?: readonly [one: string, many: string]
}

/** A list as the server defines it: its columns, filters and what its rows are called come from there. */
export function ListTable<Row extends object>(props: Props<Row>) {
  const shape = useQuery({
    queryKey: ['columns', props.path],
    queryFn: ({ signal }) => get<ListColumnsAnswer>(`${props.path}/columns`, {}, signal),
    // They change with the server's version, which loads the page anew.
    staleTime: Infinity,
  })
  if (shape.isPending) return <LoadingRows what={`Loading ${props.name.toLowerCase()}`} />
  if (shape.isError) return <Failed error={shape.error} retry={() => void shape.refetch()} />
  // What the institute offers to choose from is asked for only where a filter does: a lender has none.
  return shape.data.filters.some(({ choices }) => choices !== undefined) ? (
    <WithChoices {...props} shape={shape.data} />
  ) : (
    <Shaped {...props} shape={shape.data} choices={undefined} />
  )
}

type Shape = { shape: ListColumnsAnswer }

function WithChoices<Row extends object>(props: Props<Row> & Shape) {
  return <Shaped {...props} choices={useChoices()} />
}

function Shaped<Row extends object>({
  labels = {},
  cells,
  more = [],
  without = [],
  isBare = false,
  called,
  shape: { columns, filters, one, many },
  choices,
  ...props
}: Props<Row> & Shape & { choices: Choices | undefined }) {
  const isShown = ({ key }: { key: string }): boolean => !without.includes(key)
  const shown = columns
    .filter(isShown)
    .map(column => (isBare ? { ...column, is_sorted: false } : column))
    .map(column =>
      toColumn<Row>(
        column,
        labels[column.key] ?? namesOf(column.key, choices),
        cells?.[column.key as Key<Row>],
      ),
    )
  return (
    <DataTable<Row>
      {...props}
      {...(isBare ? {} : { counted: called ?? ([one, many] as const) })}
      columns={[...shown, ...more]}
      filters={filters.filter(isShown).flatMap(filter => toFilter(filter, labels[filter.key], choices))}
    />
  )
}

const NAMED = { collector_code: 'branches', grade: 'grades', component_type: 'components' } as const

/** People read names where the API has codes. */
function namesOf(key: string, choices: Choices | undefined): Labels | undefined {
  if (choices === undefined || !Object.hasOwn(NAMED, key)) return undefined
  const named = choices[NAMED[key as keyof typeof NAMED]].filter(({ name }) => name !== '')
  return Object.fromEntries(named.map(({ code, name }) => [code, { label: name }]))
}

type Value = string | number | boolean | undefined
type Kind = ListColumnsAnswer['columns'][number]['kind']
const FROM_THE_TOP: readonly Kind[] = ['money', 'count', 'day', 'moment']

function toColumn<Row extends object>(
  { key, title, kind, is_sorted: isSorted }: ListColumnsAnswer['columns'][number],
  labels: Labels | undefined,
  render: ((row: Row) => ReactNode) | undefined,
): Column<Row> {
  const valueOf = (row: Row) => row[key as Key<Row>] as Value
  return {
    key,
    title,
    text: row => shownText(textOf(kind, valueOf(row), labels), render?.(row)),
    render: render ?? (row => cellOf(kind, valueOf(row), labels)),
    ...(kind === 'money' || kind === 'count' ? { align: 'right' as const } : {}),
    ...(isSorted ? { sort: key } : {}),
    ...(FROM_THE_TOP.includes(kind) ? { isLargestFirst: true as const } : {}),
  }
}

/** A cell of its own may be of other fields: it is empty when it shows nothing, and not when its field is. */
function shownText(text: string, shown: ReactNode): string {
  if (shown === undefined || typeof shown === 'string') return shown ?? text
  return shown === null || shown === false ? '' : text || ' '
}

function textOf(kind: Kind, value: Value, labels: Labels | undefined): string {
  if (value === undefined) return ''
  switch (kind) {
    case 'money':
      return formatRupees(Number(value))
    case 'count':
      return formatCount(Number(value))
    case 'day':
      return formatDay(String(value))
    case 'moment':
      return formatMoment(String(value))
    case 'flag':
      return value === true ? 'Yes' : ''
    case 'state':
    case 'text':
      return labels?.[String(value)]?.label ?? String(value)
    default:
      return kind satisfies never
  }
}

/** A number of the school, say, which would be broken at its hyphen. */
const SHORT_WORD = /^\S{1,20}$/

function cellOf(kind: Kind, value: Value, labels: Labels | undefined): ReactNode {
  if (kind === 'moment' && value !== undefined) return <When at={String(value)} />
  const text = textOf(kind, value, labels)
  const tone = labels?.[String(value)]?.tone
  if (tone !== undefined) return <StatusBadge tone={tone}>{text}</StatusBadge>
  return kind === 'day' || kind === 'state' || SHORT_WORD.test(text) ? (
    <span className="nowrap">{text}</span>
  ) : (
    text
  )
}

/** None for what there is nothing to choose from: a school with one branch needs no filter of branches. */
function toFilter(
  { key, label, kind, values, choices: source }: ListColumnsAnswer['filters'][number],
  labels: Labels | undefined,
  choices: Choices | undefined,
): Filter[] {
  if (kind !== 'choice') return [{ key, label, kind }]
  if (source === undefined) {
    const named = values.filter(value => labels === undefined || value in labels)
    return [{ key, label, options: named.map(value => ({ value, label: labels?.[value]?.label ?? value })) }]
  }
  const options = (choices?.[source] ?? []).map(({ code, name }) => ({ value: code, label: name }))
  const least = source === 'branches' ? 2 : source === 'sections' ? 1 : 0
  return options.length < least ? [] : [{ key, label, options }]
}
