import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { formatDay, isDay } from '../when.tsx'

export type Filter = {
  key: string
  label: string
  kind?: 'text' | 'day'
  options?: readonly { value: string; label: string }[]
}

export type FilterValues = Readonly<Record<string, string>>

const kept = new Map<string, Readonly<Record<string, string>>>()

/** What a list was narrowed to when somebody left it, so that the way back leads to the same rows; undefined before. */
export function keptSearch(address: string): Readonly<Record<string, string>> | undefined {
  return kept.get(address)
}

/** Filters live in the address, so that a view can be sent to a colleague and the back button works. */
export function useFilters(filters: readonly Filter[]): {
  values: FilterValues
  set: (values: Readonly<Record<string, string | undefined>>) => void
} {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useEffect(() => {
    kept.set(pathname, given(search))
  }, [pathname, search])
  const values = Object.fromEntries(
    filters.flatMap(({ key }) => {
      const value = search[key]
      return value === undefined || value === '' ? [] : [[key, value]]
    }),
  )
  const set = (changes: Readonly<Record<string, string | undefined>>): void => {
    void navigate({ to: '.', search: given({ ...search, ...changes }), replace: true })
  }
  return { values, set }
}

function given(search: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((pair): pair is [string, string] => Boolean(pair[1])),
  )
}

/** What a chip says of its value. */
export function shownValue(filter: Filter, value: string): string {
  if (filter.kind === 'day') return isDay(value) ? formatDay(value) : value
  return filter.options?.find(option => option.value === value)?.label ?? value
}
