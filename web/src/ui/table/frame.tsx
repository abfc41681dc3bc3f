import type { ReactNode } from 'react'

/** A table wider than a phone scrolls in its frame, so the frame must be reachable by keyboard. */
export function TableFrame({
  name,
  className = '',
  children,
}: {
  name: string
  className?: string
  children: ReactNode
}) {
  return (
    <div className={`table-frame ${className}`} role="group" aria-label={name} tabIndex={0}>
      {children}
    </div>
  )
}
