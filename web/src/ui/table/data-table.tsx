import { Button, Checkbox, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { list, type Query } from '../../api/client.ts'
import { downloadCsv } from './csv.ts'
import { Empty, Failed, Loading } from '../states.tsx'
import { TableFilters } from './filters.tsx'
import { useFilters, type Filter } from './use-filters.ts'

export type Column<Row> = {
  key: string
  title: string
  /** As the exported file has it, and as the cell shows it unless `render` says otherwise. */
  text: (row: Row) => string
  render?: (row: Row) => ReactNode
  /** Right for numbers. */
  align?: 'right'
}

type Props<Row> = {
  /** For screen readers and the name of the exported file. */
  name: string
  /** Of the API, such as `${useInstitutePath()}/audit`. */
  path: string
  /** The beginning of the query's key: `useCommand({ refreshes: [key] })` reads the table again. */
  queryKey: string
  columns: readonly Column<Row>[]
  rowId: (row: Row) => string
  filters?: readonly Filter[]
  query?: Query
  /** Keeps the previous results until the new ones arrive. */
  keepsRows?: boolean
  onOpen?: (row: Row) => void
  /** The server's own export of the whole list with these filters, in place of that of the rows shown so far. */
  files?: (sent: Query) => ReactNode
  /** What can be done with rows that are picked by their boxes. */
  picked?: (ids: readonly string[]) => ReactNode
  empty: { title: string; description: ReactNode; action?: ReactNode }
}

const NO_FILTERS: readonly Filter[] = []

/** The console's table: filters in the address, paging by cursor, keyboard navigation, export of the rows shown. */
export function DataTable<Row>(props: Props<Row>) {
  const { name, path, queryKey, columns, filters = NO_FILTERS, query = {}, keepsRows, empty } = props
  const { values, set } = useFilters(filters)
  const sent = { ...query, ...values }
  const pages = useInfiniteQuery({
    queryKey: [queryKey, path, sent],
    queryFn: ({ pageParam, signal }) => list<Row>(path, { ...sent, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.nextCursor,
    // Never another institute's.
    placeholderData: (before, asked) =>
      keepsRows === true && asked?.queryKey[1] === path ? before : undefined,
  })
  const rows = pages.data?.pages.flatMap(page => page.rows) ?? []
  // A page may be empty and still say that there are more: what is rare is looked for a stretch at a time.
  const isLooking = rows.length === 0 && pages.hasNextPage
  const { fetchNextPage, isFetching, isError } = pages
  useEffect(() => {
    if (isLooking && !isFetching && !isError) void fetchNextPage()
  }, [isLooking, isFetching, isError, fetchNextPage])
  const isFiltered = Object.keys(values).length > 0
  const [boxes, setBoxes] = useState<ReadonlySet<string>>(new Set())
  const ids = rows.map(row => props.rowId(row)).filter(id => boxes.has(id))
  return (
    <section aria-label={name}>
      <Group justify="space-between" mb="xs" wrap="wrap">
        {filters.length > 0 ? <TableFilters filters={filters} values={values} onChange={set} /> : <span />}
        {props.files === undefined ? (
          <ExportButton name={name} columns={columns} rows={rows} />
        ) : (
          props.files(sent)
        )}
      </Group>
      {(pages.isPending || isLooking) && <Loading what={`Loading ${name.toLowerCase()}`} />}
      {pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isSuccess && rows.length === 0 && !isLooking && (
        <Nothing isFiltered={isFiltered} empty={empty} clear={() => clear(filters, set)} />
      )}
      {ids.length > 0 && (
        <Group gap="xs" mb="xs" role="status">
          <span>{ids.length} picked</span>
          {props.picked?.(ids)}
          <Button variant="subtle" size="xs" onClick={() => setBoxes(new Set())}>
            Pick none
          </Button>
        </Group>
      )}
      {rows.length > 0 && <Rows {...props} rows={rows} boxes={boxes} onBoxes={setBoxes} />}
      {pages.hasNextPage && !isLooking && (
        <Group justify="center" mt="sm">
          <Button
            variant="default"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </section>
  )
}

function ExportButton<Row>({
  name,
  columns,
  rows,
}: Pick<Props<Row>, 'name' | 'columns'> & { rows: readonly Row[] }) {
  return (
    <Button
      variant="default"
      size="xs"
      disabled={rows.length === 0}
      onClick={() => exportRows(name, columns, rows)}
    >
      Export {rows.length > 0 ? `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}` : ''}
    </Button>
  )
}

function clear(filters: readonly Filter[], set: (values: Record<string, undefined>) => void): void {
  set(Object.fromEntries(filters.map(({ key }) => [key, undefined])))
}

function Nothing({
  isFiltered,
  empty,
  clear,
}: {
  isFiltered: boolean
  empty: Props<unknown>['empty']
  clear: () => void
}) {
  if (!isFiltered) return <Empty {...empty} />
  const action = (
    <Button variant="default" size="xs" onClick={clear}>
      Clear the filters
    </Button>
  )
  return (
    <Empty
      title="Nothing matches these filters"
      description="Remove a filter, or search for something else."
      action={action}
    />
  )
}

function exportRows<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  downloadCsv(
    name.toLowerCase().replaceAll(/\W+/g, '-'),
    columns.map(column => column.title),
    rows.map(row => columns.map(column => column.text(row))),
  )
}

/**
 * One row is in the tab order; up and down move on from it, Enter opens it. On a phone a row is a list of what it says,
 * which is no table to a browser any more: the roles keep it one.
 */
type Boxes = { boxes: ReadonlySet<string>; onBoxes: (boxes: ReadonlySet<string>) => void }

function Rows<Row>({
  name,
  columns,
  rows,
  rowId,
  onOpen,
  picked,
  boxes,
  onBoxes,
}: Props<Row> & Boxes & { rows: readonly Row[] }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [active, setActive] = useState(0)
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    setActive(next)
    ;(body.current?.rows[next] as HTMLElement | undefined)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent, index: number, row: Row): void => {
    if (event.target !== event.currentTarget) return
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (target === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (target === undefined) onOpen?.(row)
    else moveTo(target)
  }
  return (
    <div className="table-frame">
      <table className="data-table stacks" role="table">
        <caption className="visually-hidden">{name}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {picked !== undefined && <PickAll ids={rows.map(rowId)} boxes={boxes} onBoxes={onBoxes} />}
            {columns.map(({ key, title, align }) => (
              <th key={key} scope="col" role="columnheader" className={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup">
          {rows.map((row, index) => (
            <tr
              key={rowId(row)}
              role="row"
              tabIndex={index === Math.min(active, rows.length - 1) ? 0 : -1}
              className={onOpen === undefined ? undefined : 'opens'}
              onFocus={() => setActive(index)}
              onKeyDown={event => onKeyDown(event, index, row)}
              onClick={() => onOpen?.(row)}
            >
              {picked !== undefined && (
                <Pick id={rowId(row)} name={columns[0]?.text(row) ?? ''} boxes={boxes} onBoxes={onBoxes} />
              )}
              {columns.map(({ key, title, align, text, render }) => (
                <td
                  key={key}
                  role="cell"
                  data-title={title}
                  className={`${align ?? ''} ${text(row) === '' ? 'is-empty' : ''}`}
                >
                  {render === undefined ? text(row) : render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PickAll({ ids, boxes, onBoxes }: Boxes & { ids: readonly string[] }) {
  return (
    <th scope="col" role="columnheader">
      <Checkbox
        size="xs"
        aria-label={`Pick all ${ids.length} that are shown`}
        checked={ids.every(id => boxes.has(id))}
        onChange={event => onBoxes(new Set(event.currentTarget.checked ? ids : []))}
      />
    </th>
  )
}

function Pick({ id, name, boxes, onBoxes }: Boxes & { id: string; name: string }) {
  return (
    <td role="cell" data-title="Pick" aria-label="Pick" onClick={event => event.stopPropagation()}>
      <Checkbox
        size="xs"
        aria-label={`Pick ${name}`}
        checked={boxes.has(id)}
        onChange={() => onBoxes(boxes.symmetricDifference(new Set([id])))}
      />
    </td>
  )
}
