import type { ReactNode } from 'react'

/** A table that may be wider than a phone: it scrolls in its frame, so the frame can be reached by the keyboard. */
export function TableFrame({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="table-frame student-table" role="group" aria-label={name} tabIndex={0}>
      <table className="data-table">
        <caption className="visually-hidden">{name}</caption>
        {children}
      </table>
    </div>
  )
}
