import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useInstitute } from '../../api/session.ts'
import type { HitGroup } from './hit.ts'

type Recent = { id: string; name: string; note: string }

const MOST = 6
const keyOf = (institute: string): string => `bursar.recent.${institute}`

function read(institute: string): Recent[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(institute)) ?? '[]') as Recent[]
  } catch {
    return []
  }
}

/** Remembers the children whose pages were open, until the tab is closed. */
export function useRemembered(student: Recent | undefined): void {
  const { code } = useInstitute()
  const { id, name, note } = student ?? {}
  useEffect(() => {
    if (id === undefined || name === undefined || note === undefined) return
    const rest = read(code).filter(one => one.id !== id)
    sessionStorage.setItem(keyOf(code), JSON.stringify([{ id, name, note }, ...rest].slice(0, MOST)))
  }, [code, id, name, note])
}

/** What the search shows before anything is typed. */
export function useRecent(): () => HitGroup[] {
  const navigate = useNavigate()
  const { code: institute } = useInstitute()
  return () => {
    const hits = read(institute).map(({ id, name, note }) => ({
      id,
      title: name,
      note,
      go: () => void navigate({ to: '/i/$institute/students/$student', params: { institute, student: id } }),
    }))
    return hits.length === 0 ? [] : [{ name: 'Looked at last', hits }]
  }
}
