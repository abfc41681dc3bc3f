import { TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

const PAUSE_MS = 300

/** Searches after a pause in typing; the text is kept in the address. */
export function SearchBox({ label }: { label: string }) {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const asked = search['q'] ?? ''
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [asked])
  useEffect(() => {
    if (typed.trim() === asked) return undefined
    const timer = setTimeout(() => {
      const { q: _, ...rest } = search
      const next = typed.trim() === '' ? rest : { ...rest, q: typed.trim() }
      void navigate({ to: '.', search: next as Record<string, string>, replace: true })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, asked, search, navigate])
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={event => setTyped(event.currentTarget.value)}
      maxLength={100}
      mb="sm"
      maw={480}
    />
  )
}
