import { Button, Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { get, type Query } from '../../api/client.ts'
import { counted, formatCount } from '../money.tsx'
import type { Column } from './rows.tsx'

/** Rows by their boxes, or everything that the filters leave, also what is not shown yet. */
export type PickedRows = { ids: readonly string[]; all?: never } | { all: Query; count: number; ids?: never }

export function countOf(picked: PickedRows): number {
  return picked.ids === undefined ? picked.count : picked.ids.length
}

type Count = { count: number; is_more: boolean }

export function useCount(
  { path, queryKey, isCounted }: { path: string; queryKey: string; isCounted: boolean },
  filtered: Query,
): Count | undefined {
  const found = useQuery({
    queryKey: [queryKey, path, 'count', filtered],
    queryFn: ({ signal }) => get<Count>(`${path}/count`, filtered, signal),
    enabled: isCounted,
  })
  return found.data
}

export function countText(
  { count, is_more }: Count,
  [one, many]: readonly [string, string] = ['row', 'rows'],
): string {
  return is_more ? `More than ${formatCount(count)} ${many}` : counted(count, one, many)
}

/** A phone shows no headings to press. */
export function SortChoice<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<Row>[]
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  const choices = columns.flatMap(({ title, sort: own }) =>
    own === undefined
      ? []
      : [
          { value: own, label: `${title} ↑` },
          { value: `-${own}`, label: `${title} ↓` },
        ],
  )
  if (choices.length === 0) return null
  return (
    <NativeSelect
      className="phone-only"
      size="xs"
      aria-label="Sort by"
      value={sort ?? ''}
      onChange={event => onSort(event.currentTarget.value || undefined)}
      data={[{ value: '', label: 'Usual order' }, ...choices]}
    />
  )
}

export function PickedBar({
  ids,
  shown,
  count,
  sent,
  acts,
  onNone,
}: {
  ids: readonly string[]
  shown: number
  count: Count | undefined
  sent: Query
  acts: (picked: PickedRows) => ReactNode
  onNone: () => void
}) {
  const [isAll, setIsAll] = useState(false)
  const all = count?.count ?? 0
  // Once a box is cleared, it is not all of them any more.
  const hasAll = isAll && ids.length === shown
  return (
    <Group gap="xs" mb="xs" role="status">
      <span>{hasAll ? `All ${formatCount(all)} selected` : `${ids.length} selected`}</span>
      {ids.length === shown && all > shown && !hasAll && count?.is_more === false && (
        <Button variant="subtle" size="xs" onClick={() => setIsAll(true)}>
          {`Select all ${formatCount(all)} matching`}
        </Button>
      )}
      {acts(hasAll ? { all: sent, count: all } : { ids })}
      <Button variant="subtle" size="xs" onClick={onNone}>
        Pick none
      </Button>
    </Group>
  )
}
