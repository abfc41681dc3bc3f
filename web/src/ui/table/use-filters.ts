import { useNavigate, useSearch } from '@tanstack/react-router'
import { formatDay, isDay } from '../when.tsx'

export type Filter = {
  key: string
  label: string
  kind?: 'text' | 'day'
  options?: readonly { value: string; label: string }[]
}

export type FilterValues = Readonly<Record<string, string>>

/** Filters live in the address, so that a view can be sent to a colleague and the back button works. */
export function useFilters(filters: readonly Filter[]): {
  values: FilterValues
  set: (values: Readonly<Record<string, string | undefined>>) => void
} {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const values = Object.fromEntries(
    filters.flatMap(({ key }) => {
      const value = search[key]
      return value === undefined || value === '' ? [] : [[key, value]]
    }),
  )
  const set = (changes: Readonly<Record<string, string | undefined>>): void => {
    const next = Object.entries({ ...search, ...changes }).filter((pair): pair is [string, string] =>
      Boolean(pair[1]),
    )
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true })
  }
  return { values, set }
}

/** What a chip says of its value. */
export function shownValue(filter: Filter, value: string): string {
  if (filter.kind === 'day') return isDay(value) ? formatDay(value) : value
  return filter.options?.find(option => option.value === value)?.label ?? value
}
