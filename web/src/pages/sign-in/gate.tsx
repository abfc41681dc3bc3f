import { useEffect, type ReactNode } from 'react'
import { ModeBadge } from '../../shell/mode-badge.tsx'

/** The frame of pages that need no session. */
export function Gate({
  title,
  description,
  isWide = false,
  children,
}: {
  title: string
  description?: ReactNode
  /** It shows a table. */
  isWide?: boolean
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Bursar`
  }, [title])
  return (
    <main className="gate">
      <div className={isWide ? 'gate-card wide' : 'gate-card'}>
        <p>
          <span className="brand">Bursar</span> <ModeBadge />
        </p>
        <h1>{title}</h1>
        {description !== undefined && <p className="faint">{description}</p>}
        {children}
      </div>
    </main>
  )
}
