import { useEffect, type ReactNode } from 'react'
import { ModeBadge } from '../../shell/mode-badge.tsx'

/** The frame of pages before the door. */
export function Gate({ title, say, children }: { title: string; say?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Bursar`
  }, [title])
  return (
    <main className="gate">
      <div className="gate-card">
        <p>
          <span className="brand">Bursar</span> <ModeBadge />
        </p>
        <h1>{title}</h1>
        {say !== undefined && <p className="faint">{say}</p>}
        {children}
      </div>
    </main>
  )
}
