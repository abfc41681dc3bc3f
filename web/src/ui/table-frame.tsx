import type { ReactNode } from 'react'

/** A table that may be wider than a phone scrolls in its frame, so that the frame can be reached by the keyboard. */
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
