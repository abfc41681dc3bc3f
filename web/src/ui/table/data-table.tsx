import { Button, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { list, type Query } from '../../api/client.ts'
import { downloadCsv } from './csv.ts'
import { Empty, Failed, LoadingRows } from '../states.tsx'
import { ExportMenu } from './export-menu.tsx'
import { TableFilters } from './filters.tsx'
import { countText, PickedBar, SortChoice, useCount, type PickedRows } from './list-parts.tsx'
import { Rows, type Column } from './rows.tsx'
import { SavedViews } from './saved-views.tsx'
import { useFilters, type Filter } from './use-filters.ts'
import { counted } from '../money.tsx'

export type { PickedRows } from './list-parts.tsx'
export type { Column } from './rows.tsx'

type Props<Row> = {
  /** Screen readers say it, and it names the exported file. */
  name: string
  /** The list's address in the API, such as `${useInstitutePath()}/audit`. */
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
  /** Files beside or in place of the server's export of the whole list, which every counted list has. */
  files?: (sent: Query, sort: string | undefined) => ReactNode
  /** What can be done with rows that are picked by their boxes, or with all that fit. */
  picked?: (picked: PickedRows) => ReactNode
  /** What one row is and what many are, where the API counts, sorts and exports the list. */
  counted?: readonly [one: string, many: string]
  empty: { title: string; description: ReactNode; action?: ReactNode }
}

const NO_FILTERS: readonly Filter[] = []

/** The console's table: filters in the address, paging by cursor, keyboard navigation, export of the rows shown. */
export function DataTable<Row>(props: Props<Row>) {
  const { name, path, queryKey, columns, filters = NO_FILTERS, query = {}, empty } = props
  const { values, set } = useFilters(filters)
  const { values: kept, set: keep } = useFilters([...filters, ...ALSO_KEPT])
  const sort = knownSort(columns, kept['sort'])
  const filtered = { ...query, ...values }
  const sent = { ...filtered, sort }
  const { pages, rows, isLooking } = usePages<Row>(props, sent)
  const isFiltered = Object.keys(values).length > 0
  const [boxes, setBoxes] = useState<ReadonlySet<string>>(new Set())
  const ids = rows.map(row => props.rowId(row)).filter(id => boxes.has(id))
  const count = useCount({ path, queryKey, isCounted: props.counted !== undefined }, filtered)
  return (
    <section aria-label={name}>
      <Group justify="space-between" mb="xs" wrap="wrap">
        <Group gap="xs">
          {filters.length > 0 && <TableFilters filters={filters} values={values} onChange={set} />}
          <SortChoice columns={columns} sort={sort} onSort={next => keep({ sort: next })} />
          {props.counted !== undefined && <SavedViews path={path} values={kept} onChoose={keep} />}
        </Group>
        {props.files?.(filtered, sort) ?? <Export {...props} rows={rows} sent={{ ...filtered, sort }} />}
      </Group>
      {count !== undefined && rows.length > 0 && (
        <p className="row-count" role="status">
          {countText(count, props.counted)}
        </p>
      )}
      {(pages.isPending || isLooking) && <LoadingRows what={`Loading ${name.toLowerCase()}`} />}
      {pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isSuccess && rows.length === 0 && !isLooking && (
        <Nothing isFiltered={isFiltered} empty={empty} clear={() => clear(filters, set)} />
      )}
      {ids.length > 0 && (
        <PickedBar
          ids={ids}
          shown={rows.length}
          count={count}
          sent={filtered}
          acts={picked => (
            <>
              {props.picked?.(picked)}
              <ExportPicked path={path} picked={picked} sort={sort} />
            </>
          )}
          onNone={() => setBoxes(new Set())}
        />
      )}
      {rows.length > 0 && (
        <Rows
          name={name}
          columns={columns}
          rows={rows}
          rowId={props.rowId}
          onOpen={props.onOpen}
          hasBoxes={props.counted !== undefined}
          boxes={boxes}
          onBoxes={setBoxes}
          sort={sort}
          onSort={next => keep({ sort: next })}
        />
      )}
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

/** An address may be older than the columns. */
function knownSort<Row>(columns: readonly Column<Row>[], sort: string | undefined): string | undefined {
  const column = sort?.replace(/^-/, '')
  return columns.some(one => one.sort !== undefined && one.sort === column) ? sort : undefined
}

function usePages<Row>({ path, queryKey, keepsRows }: Props<Row>, sent: Query) {
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
  return { pages, rows, isLooking }
}

/** What a saved view holds beside the filters of the table. */
const ALSO_KEPT: readonly Filter[] = [
  { key: 'sort', label: 'Sorted by' },
  { key: 'q', label: 'Search' },
]

function Export<Row>({ path, counted, sent, ...shown }: Props<Row> & { rows: readonly Row[]; sent: Query }) {
  if (counted === undefined) return <ExportButton {...shown} />
  return <ExportMenu path={`${path}/export`} sent={sent} />
}

const MOST_PICKED = 200

/** The server takes so many by their ids; of more one exports all that fit. */
function ExportPicked({
  path,
  picked,
  sort,
}: {
  path: string
  picked: PickedRows
  sort: string | undefined
}) {
  if (picked.ids !== undefined && picked.ids.length > MOST_PICKED) return null
  const sent = picked.ids === undefined ? picked.all : { picked: picked.ids.join(',') }
  return <ExportMenu label="Export these" path={`${path}/export`} sent={{ ...sent, sort }} />
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
      Export {rows.length > 0 ? counted(rows.length, 'row') : ''}
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
