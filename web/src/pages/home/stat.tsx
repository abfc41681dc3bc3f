import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useInstitute } from '../../api/session.ts'

type Props = {
  label: string
  value: ReactNode
  note: string
  /** Red for lost money; otherwise a note is only a note. */
  tone?: 'bad' | undefined
  to: LinkProps['to']
  /** What the address needs beside the institute. */
  params?: Record<string, string> | undefined
  search: Record<string, string>
}

/** A number, and the list that it is the sum of. */
export function Stat({ label, value, note, tone, to, params, search }: Props) {
  const { code: institute } = useInstitute()
  return (
    <Link className="stat" to={to as '/i/$institute'} params={{ institute, ...params }} search={search}>
      <div className="stat-label">{label}</div>
      <div className="stat-value">{value}</div>
      <div className={tone === 'bad' ? 'status status-bad' : 'stat-note'}>{note}</div>
    </Link>
  )
}
