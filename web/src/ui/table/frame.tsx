import { useEffect, useRef, type ReactNode } from 'react'

/**
 * A table wider than its place scrolls in its frame, so the frame must be reachable by keyboard. On a phone its rows stand
 * as lines with their titles, which are taken from its header.
 */
export function TableFrame({
  name,
  className = '',
  children,
}: {
  name: string
  className?: string
  children: ReactNode
}) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = frame
    if (current === null) return undefined
    const write = (): void => current.querySelectorAll<HTMLTableElement>('table').forEach(titleCells)
    const observer = new MutationObserver(write)
    observer.observe(current, { childList: true, subtree: true })
    write()
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={frame} className={`table-frame ${className}`} role="group" aria-label={name} tabIndex={0}>
      {children}
    </div>
  )
}

/** Writes titles where a table does not say them itself; and roles, because a table that is displayed as blocks loses its own. */
function titleCells(table: HTMLTableElement): void {
  if (table.getAttribute('role') === 'table' && table.dataset['titled'] === undefined) return
  const titles = [...(table.tHead?.rows[0]?.cells ?? [])].map(cell => cell.textContent)
  if (titles.length === 0) return
  table.dataset['titled'] = ''
  table.classList.add('stacks')
  table.setAttribute('role', 'table')
  for (const part of [table.tHead, ...table.tBodies, table.tFoot]) part?.setAttribute('role', 'rowgroup')
  for (const row of table.rows) {
    row.setAttribute('role', 'row')
    let column = 0
    for (const cell of row.cells) {
      const isHeading = row.parentElement === table.tHead
      cell.setAttribute('role', isHeading ? 'columnheader' : cell.tagName === 'TH' ? 'rowheader' : 'cell')
      // A cell over several columns is a heading or the name of a sum, and has no title.
      if (!isHeading) cell.dataset['title'] = cell.colSpan > 1 ? '' : (titles[column] ?? '')
      if (!isHeading)
        cell.classList.toggle('is-empty', cell.textContent.trim() === '' && cell.children.length === 0)
      column += cell.colSpan
    }
  }
}
